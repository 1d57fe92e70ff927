terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}

locals {
  template = "${var.folder}/${coalesce(var.template, local.released_template)}"
  text     = file(local.template)
  declared = jsondecode(local.text).Parameters
  needed   = [for name, parameter in local.declared : name if !can(parameter.Default) && name != "AssetBucket"]
  other    = tolist(setsubtract(keys(local.given), keys(local.declared)))

  parameters = { for name, value in local.given : name => tostring(value) if value != null }
}

# Their names are hashes of what is in them. Old ones go when the stack has been updated: a rollback needs them.
resource "aws_s3_object" "asset" {
  for_each = toset([for name in fileset("${var.folder}/assets", "*") : name if strcontains(local.text, name)])

  bucket = var.asset_bucket
  key    = each.value
  source = "${var.folder}/assets/${each.value}"

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_s3_object" "template" {
  bucket = var.asset_bucket
  key    = "${sha256(local.text)}.template.json"
  source = local.template

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_cloudformation_stack" "this" {
  name         = var.stack_name
  template_url = "https://${var.asset_bucket}.s3.${var.region}.amazonaws.com/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_NAMED_IAM"]
  parameters   = merge(local.parameters, { AssetBucket = var.asset_bucket })
  tags         = var.tags

  # A cluster is created when it is green, and updated node by node.
  timeouts {
    create = "3h"
    update = "24h"
    delete = "3h"
  }

  lifecycle {
    # Values may be known only when the configuration is applied.
    precondition {
      condition     = !anytrue([for name in local.other : local.given[name] != null])
      error_message = "The template has none of the parameters ${join(", ", local.other)}: give what they stand for as inputs of drover synth."
    }

    precondition {
      condition     = !anytrue([for name in local.needed : lookup(local.given, name, null) == null])
      error_message = "The template needs values for ${join(", ", local.needed)}."
    }
  }

  depends_on = [aws_s3_object.asset]
}
