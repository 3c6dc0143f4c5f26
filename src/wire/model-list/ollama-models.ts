import type { JsonObject } from '../../kit/json/json.ts'
import type { ListedModel } from './listed-model.ts'

/**
 * The version of Ollama whose API the gateway serves, with call IDs and log probabilities. Clients compare it with the
 * first version that has the features they need (https://github.com/ollama/ollama/releases, seen 2026-11-25).
 */
const OLLAMA_VERSION = '0.13.5'

/** The details of a model's files, which are empty since the gateway has no files. */
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

/** Writes the answer of `/api/tags` (https://docs.ollama.com/api/tags, seen 2026-11-25). */
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
 * Writes the answer of `/api/show` (https://docs.ollama.com/api-reference/show-model-details, seen 2026-11-25). The
 * capabilities are those that the gateway supports for every model. Clients disable features that are not listed.
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
