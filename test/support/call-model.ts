import type { StartedGateway } from './start-gateway.ts'

/** One small request with a caller's key. */
export function callModel(gateway: StartedGateway, key: string, model = 'demo-chat'): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
  })
}
