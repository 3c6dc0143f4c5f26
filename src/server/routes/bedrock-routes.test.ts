import { expect, it } from 'vitest'
import { createRequestHead } from '../../../test/support/request-head.ts'
import { createBedrockRoutes } from './bedrock-routes.ts'

const exchanged = { head: createRequestHead(), params: { model: 'eu.claude' } }
const routes = createBedrockRoutes().map(({ path, readTerms }) => ({ path, ...readTerms?.(exchanged) }))

it('reads the model and the streaming mode from the path', () => {
  expect(routes.map(({ path, terms }) => [path, terms])).toEqual([
    ['/model/:model/converse', { model: 'eu.claude', isStream: false }],
    ['/model/:model/converse-stream', { model: 'eu.claude', isStream: true }],
  ])
})

it('frames only streams as AWS event stream messages', () => {
  expect(routes.map(({ wrapSink }) => wrapSink !== undefined)).toEqual([false, true])
})
