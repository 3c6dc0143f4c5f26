import { unreachable } from '../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ListedModel, ModelListStyle } from './listed-model.ts'

/** Writes one model in the form of a client family (OpenAI, Anthropic and Gemini API references, seen 2026-11-20). */
export function writeModel(model: ListedModel, style: ModelListStyle): JsonObject {
  const description = model.description === undefined ? {} : { description: model.description }
  switch (style) {
    case 'chat':
      return {
        id: model.name,
        object: 'model',
        created: model.createdAtSeconds,
        owned_by: model.ownedBy,
        // Every model can serve callers of every format, by translation where necessary.
        supported_endpoint_types: ['openai', 'anthropic'],
        // The format has no such field, but clients that look for it read every style.
        ...(model.displayName === undefined ? {} : { display_name: model.displayName }),
        ...description,
      }
    case 'messages':
      return {
        type: 'model',
        id: model.name,
        display_name: model.displayName ?? model.name,
        ...description,
        created_at: new Date(model.createdAtSeconds * 1_000).toISOString(),
      }
    case 'gemini':
      return {
        name: `models/${model.name}`,
        baseModelId: model.name,
        displayName: model.displayName ?? model.name,
        ...description,
        supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
      }
    default:
      return unreachable(style)
  }
}
