import type { JsonObject } from '../../kit/json/json.ts'
import type { ListedModel } from './listed-model.ts'

/**
 * The version of Ollama whose API this is, with calls that have IDs and likelihoods of tokens: clients compare it with
 * the first one that has what they need (https://github.com/ollama/ollama/releases, seen 2026-11-25).
 */
const OLLAMA_VERSION = '0.13.5'

/** The files of a model, of which there are none here. */
const noDetails: JsonObject = {
  parent_model: '',
  format: '',
  family: '',
  families: [],
  parameter_size: '',
  quantization_level: '',
}

export function writeVersion(): JsonObject {
  return { version: OLLAMA_VERSION }
}

/** `/api/tags` (https://docs.ollama.com/api/tags, seen 2026-11-25). */
export function writeTags(models: readonly ListedModel[]): JsonObject {
  return { models: models.map(writeTag) }
}

function writeTag(model: ListedModel): JsonObject {
  return {
    name: model.name,
    model: model.name,
    modified_at: writeTime(model),
    size: 0,
    digest: '',
    details: noDetails,
  }
}

/**
 * `/api/show` (https://docs.ollama.com/api-reference/show-model-details, seen 2026-11-25). The capabilities are what
 * the gateway carries for every model: clients switch off what is not named.
 */
export function writeShow(model: ListedModel): JsonObject {
  return {
    license: '',
    modelfile: '',
    parameters: '',
    template: '',
    details: noDetails,
    model_info: {
      'general.architecture': 'headgate',
      'general.basename': model.displayName ?? model.name,
      ...(model.description === undefined ? {} : { 'general.description': model.description }),
    },
    capabilities: ['completion', 'tools', 'vision', 'thinking'],
    modified_at: writeTime(model),
  }
}

function writeTime({ createdAtSeconds }: ListedModel): string {
  return new Date(createdAtSeconds * 1_000).toISOString()
}
