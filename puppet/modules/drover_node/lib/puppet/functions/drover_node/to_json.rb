require 'json'

# The JSON text of a value: keys in order, so that the same value is always the same text.
Puppet::Functions.create_function(:'drover_node::to_json') do
  dispatch :render do
    param 'Any', :value
    return_type 'String'
  end

  def render(value)
    "#{JSON.pretty_generate(in_order(value))}\n"
  end

  def in_order(value)
    case value
    when Hash then value.sort_by { |key, _| key.to_s }.to_h { |key, inner| [key, in_order(inner)] }
    when Array then value.map { |inner| in_order(inner) }
    else value
    end
  end
end
