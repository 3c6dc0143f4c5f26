import type { StoredResponseRequest } from '../../pipeline/exchange/caller-request.ts'
import { compactOperation, inputTokensOperation } from '../../wire/responses/verbatim/side-operations.ts'
import type { Exchanged, ExchangeRoute, ServerRoute } from '../route.ts'

/** The query parameters that callers may use. All others, including a key, are not passed on. */
const queryNames: ReadonlySet<string> = new Set([
  'after',
  'include',
  'include[]',
  'include_obfuscation',
  'limit',
  'order',
  'starting_after',
  'stream',
])

const storedPaths = [
  { method: 'GET', action: '' },
  { method: 'DELETE', action: '' },
  { method: 'POST', action: '/cancel' },
  { method: 'GET', action: '/input_items' },
] as const

/** The routes below `/v1/responses`: stored responses, and the operations next to them. */
export function createResponsesRoutes(): readonly ServerRoute[] {
  const common = { type: 'exchange', policy: 'caller', format: 'responses' } as const
  const sideRoute = (path: string, operation: typeof compactOperation): ExchangeRoute => ({
    ...common,
    method: 'POST',
    path,
    readTerms: () => ({ format: 'responses', operation }),
  })
  return [
    sideRoute('/v1/responses/compact', compactOperation),
    sideRoute('/v1/responses/input_tokens', inputTokensOperation),
    ...storedPaths.map(
      ({ method, action }): ExchangeRoute => ({
        ...common,
        method,
        path: `/v1/responses/:id${action}`,
        readTerms: (exchanged) => ({
          format: 'responses',
          stored: readStoredRequest(exchanged, method, action),
        }),
      }),
    ),
  ]
}

function readStoredRequest(
  { head, params }: Pick<Exchanged, 'head' | 'params'>,
  method: StoredResponseRequest['method'],
  action: StoredResponseRequest['action'],
): StoredResponseRequest {
  const query = new URLSearchParams(head.query)
  const passed = new URLSearchParams([...query].filter(([name]) => queryNames.has(name)))
  return {
    method,
    id: params['id'] ?? '',
    action,
    query: passed.size === 0 ? '' : `?${passed}`,
    isStream: passed.get('stream') === 'true',
  }
}
