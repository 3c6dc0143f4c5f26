import { expect, it } from 'vitest'
import { createRequestHead } from '../../../test/support/request-head.ts'
import { createBedrockRoutes } from './bedrock-routes.ts'

const exchanged = { context: createRequestHead(), params: { model: 'eu.claude' } }
const routes = createBedrockRoutes().map(({ path, readTerms }) => ({ path, ...readTerms?.(exchanged) }))

it('reads from the path which model is asked, and whether for a stream', () => {
  expect(routes.map(({ path, terms }) => [path, terms])).toEqual([
    ['/model/:model/converse', { model: 'eu.claude', isStream: false }],
    ['/model/:model/converse-stream', { model: 'eu.claude', isStream: true }],
  ])
})

it('frames streams alone as messages of AWS', () => {
  expect(routes.map(({ wrapSink }) => wrapSink !== undefined)).toEqual([false, true])
})
