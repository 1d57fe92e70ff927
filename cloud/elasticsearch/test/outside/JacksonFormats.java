import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.smile.SmileFactory;
import com.fasterxml.jackson.dataformat.smile.SmileGenerator;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Turns documents into SMILE and CBOR and back: one line in, one line out, everything in base64. */
public class JacksonFormats {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split(" ");
            System.out.println(answer(parts[0], mapper(parts[1]), Base64.getDecoder().decode(parts[2])));
        }
    }

    private static String answer(String act, ObjectMapper format, byte[] input) {
        try {
            byte[] output = act.equals("write")
                ? format.writeValueAsBytes(JSON.readTree(input))
                : JSON.writeValueAsBytes(format.readTree(input));
            return Base64.getEncoder().encodeToString(output);
        } catch (Exception failure) {
            return "failed " + failure.toString().replace('\n', ' ');
        }
    }

    private static ObjectMapper mapper(String format) {
        JsonFactory factory = switch (format) {
            case "cbor" -> new CBORFactory();
            case "smile" -> new SmileFactory();
            case "smile-shared-values" -> new SmileFactory().enable(SmileGenerator.Feature.CHECK_SHARED_STRING_VALUES);
            case "smile-nothing-shared" -> new SmileFactory().disable(SmileGenerator.Feature.CHECK_SHARED_NAMES);
            case "smile-raw-binary" -> new SmileFactory().disable(SmileGenerator.Feature.ENCODE_BINARY_AS_7BIT);
            default -> throw new IllegalArgumentException(format);
        };
        return new ObjectMapper(factory).enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS);
    }
}
