import { expect, it } from 'vitest'
import { createRequestHead } from '../../../test/support/request-head.ts'
import type { ExchangeRoute } from '../route.ts'
import { createDeploymentRoutes } from './azure-routes.ts'

function route(path: string, format: ExchangeRoute['format']): ExchangeRoute {
  return { type: 'exchange', method: 'POST', path, policy: 'caller', format }
}

it('serves only OpenAI operations below a deployment', () => {
  const routes = createDeploymentRoutes([
    route('/v1/chat/completions', 'chat'),
    route('/v1/embeddings', 'embeddings'),
    route('/v1/messages', 'messages'),
    route('/v1/messages/count_tokens', 'count-tokens'),
    route('/v1beta/models/:model', 'gemini'),
  ])
  expect(routes.map(({ path }) => path)).toEqual([
    '/openai/deployments/:deployment/chat/completions',
    '/openai/deployments/:deployment/embeddings',
  ])
})

it('uses the deployment name as the model', () => {
  const [deployed] = createDeploymentRoutes([route('/v1/chat/completions', 'chat')])
  const exchanged = { head: createRequestHead(), params: { deployment: 'my-gpt' } }
  expect(deployed?.readTerms?.(exchanged)).toEqual({ format: 'chat', model: 'my-gpt' })
})
