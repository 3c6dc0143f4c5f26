import { expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { openCaller } from '../../../test/support/key-terms.ts'
import { findProvider } from '../../../test/support/open-conversation-lane.ts'
import { readGrant } from '../../access/permission.ts'
import { isFailure } from '../../canonical/failure.ts'
import { runToEnd } from '../../kit/async/steps.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { embeddingsFormat as format } from '../../wire/embeddings/format.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { CostOf } from '../exchange/answer-cost.ts'
import type { EmbeddingExchange, ForAttempt } from '../exchange/exchange.ts'
import { openEmbeddingLane } from './embedding-lane.ts'
import type { WholeReply } from './lane.ts'

const costOf: CostOf = ({ usage }) => `0.00000000${usage.freshInputTokens}`

/** The outcome of upstream answers with a vector for each input, `perCall` inputs at once. */
function embed(input: JsonValue, perCall: number, fields: object = {}): WholeReply {
  const body = BodyBytes.from([Buffer.from(JSON.stringify({ model: 'm', input, ...fields }))])
  const { target } = createCandidate({ provider: 'openai', capabilities: { maxEmbeddingInputs: perCall } })
  const scanned = format.scanRequest(body)
  const exchange: ForAttempt<EmbeddingExchange> = {
    kind: 'embedding',
    format,
    scanned,
    isStrict: false,
    showsCost: true,
    tags: {},
    costOf,
    isFallback: false,
    maxOutputTokens: undefined,
    callerRequest: {
      type: 'operation',
      requestId: 'r',
      format,
      path: '/',
      address: '127.0.0.1',
      headers: {},
      query: '',
      body,
      caller: { ...openCaller, permission: readGrant(['m']) },
      startedAtMs: 0,
    },
    route: { publicName: 'm', targets: [target], strategy: 'priority-weighted', fallbacks: [] },
    readRequest: () => format.readRequest(parseBody(scanned)),
  }
  const asked = { target, provider: findProvider('openai'), channelFormat: chatFormat }
  const opened = openEmbeddingLane(exchange, asked)
  const lanes = opened.type === 'call' ? [opened.lane] : opened.split.lanes
  const replies = lanes.map((lane) => runToEnd(lane.readWhole(answer, false)))
  const reply = opened.type === 'call' ? replies[0] : runToEnd(opened.split.join())
  if (reply === undefined || isFailure(reply)) throw new Error(reply?.message)
  return reply
}

const answer = Buffer.from(
  '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1,2]}],"model":"m","usage":{"prompt_tokens":3,"total_tokens":3}}',
)

it('the vectors of one call have their cost in the usage, and every other byte unchanged', () => {
  const { body } = embed('a', 9)
  expect(body.toString()).toBe(answer.toString().replace('"usage":{', '"usage":{"cost":0.000000003,'))
})

it('vectors in another encoding than the provider’s have their cost', () => {
  const usage = { prompt_tokens: 3, total_tokens: 3, cost: 0.000000003 }
  expect(JSON.parse(embed('a', 9, { encoding_format: 'base64' }).body.toString())).toMatchObject({ usage })
})

it('the vectors of several calls have the total cost', () => {
  const usage = { prompt_tokens: 6, total_tokens: 6, cost: 0.000000006 }
  expect(JSON.parse(embed(['a', 'b'], 1).body.toString())).toMatchObject({ usage })
})
