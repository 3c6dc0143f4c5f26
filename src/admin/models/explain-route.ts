import type { JsonObject } from '../../kit/json/json.ts'
import type { AdminRoute } from '../admin-route.ts'
import { inputErrors, readInput } from '../read-input.ts'
import { explainedRouteSchema, explainRouteSchema, type RouteFormat } from './route-contract.ts'

export interface ExplainedRequest {
  readonly model: string
  /** The ID or the name of a key. Undefined for a caller who may use every model. */
  readonly key: string | undefined
  readonly format: RouteFormat
  readonly isStream: boolean
  /** The body as a caller would send it, without the model. */
  readonly body: JsonObject
}

/**
 * Finds the current route of a request without calling any provider. Rejects with the error that the caller would
 * get, or with `key_not_found`.
 */
export type ExplainRoute = (request: ExplainedRequest) => Promise<JsonObject>

/** A small request of each format. */
const greetings: Readonly<Record<RouteFormat, JsonObject>> = {
  chat: { messages: [{ role: 'user', content: 'Hello!' }] },
  messages: { max_tokens: 16, messages: [{ role: 'user', content: 'Hello!' }] },
  responses: { input: 'Hello!' },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] },
  completions: { prompt: 'Hello!' },
  embeddings: { input: 'Hello!' },
}

export function createRouteRoutes(explain: ExplainRoute): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      policy: { access: 'read', scope: 'models:read' },
      path: '/admin/v1/route',
      summary: 'Show where a request would go, in which order, and what would be lost; nothing is called',
      body: explainRouteSchema,
      answer: { status: 200, schema: explainedRouteSchema },
      errors: [...inputErrors, 'key_not_found', 'model_not_found'],
      async handler(request) {
        const { model, key, format = 'chat', stream, body } = readInput(explainRouteSchema, request.body)
        const routeInput = { model, key, format, isStream: stream === true, body: body ?? greetings[format] }
        return { status: 200, body: { ...(await explain(routeInput)) } }
      },
    },
  ]
}
