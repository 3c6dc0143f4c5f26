import { describe, expect, it, test } from 'vitest'
import { createGate } from '../support/gate.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { openMediaGateway } from '../support/media/open-media-gateway.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedUpstream,
  type UpstreamHandler,
} from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const documents = ['The gate is shut.', { text: 'Water flows.', source: 'b' }, 'A third text.']
const body = { model: 'm', query: 'What flows?', documents }

/** The scores of three documents, in the words of each service. */
const answers = {
  cohere: {
    id: 'r-1',
    results: [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.2 },
      { index: 2, relevance_score: 0.1 },
    ],
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
  },
  jina: {
    model: 'jina-reranker-v3',
    object: 'list',
    usage: { total_tokens: 38 },
    results: [
      { index: 0, relevance_score: 0.2 },
      { index: 1, relevance_score: 0.9 },
      { index: 2, relevance_score: 0.1 },
    ],
  },
  voyage: {
    object: 'list',
    data: [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.2 },
      { index: 2, relevance_score: 0.1 },
    ],
    model: 'rerank-3',
    usage: { total_tokens: 38 },
  },
  bedrock: {
    results: [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.2 },
      { index: 2, relevance_score: 0.1 },
    ],
  },
  vertex: {
    records: [
      { id: '1', score: 0.9 },
      { id: '0', score: 0.2 },
      { id: '2', score: 0.1 },
    ],
  },
} as const

type Service = keyof typeof answers

interface ChannelPlan {
  readonly provider: string
  readonly script: UpstreamHandler
  readonly upstreamModel: string
  /** Further settings of the channel, and what follows the channels. */
  readonly more?: string
  readonly settings?: string
  readonly path?: string
}

async function openChannels(plans: readonly ChannelPlan[], more = '') {
  await using cleanup = new AsyncDisposableStack()
  const upstreams: ScriptedUpstream[] = []
  for (const { script } of plans) upstreams.push(cleanup.use(await openScriptedUpstream(script)))
  const channels = plans.map(
    ({ provider, upstreamModel, settings = 'api_key: sk-upstream-0123456789', path = '' }, index) =>
      `  - { name: c${index}, provider: ${provider}, base_url: "${upstreams[index]?.origin}${path}", allow_private: true, ${settings}, priority: ${10 - index}, models: { m: "${upstreamModel}" } }`,
  )
  const gateway = cleanup.use(
    await startGateway(`channels:\n${channels.join('\n')}\nretry: { same_target: 0 }\n${more}`),
  )
  const open = cleanup.move()
  async function ask(asked: object, path = '/v1/rerank', headers: Record<string, string> = {}) {
    const answer = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(asked),
    })
    return { status: answer.status, headers: answer.headers, body: fieldsOf(await answer.json()) }
  }
  return {
    ask,
    gateway,
    sent: (upstream = 0, index = 0) => upstreams[upstream]?.requests[index],
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const channelOf: Readonly<Record<Service, Omit<ChannelPlan, 'script'>>> = {
  cohere: { provider: 'cohere', upstreamModel: 'rerank-v3.5' },
  jina: { provider: 'jina', upstreamModel: 'jina-reranker-v3', path: '/v1' },
  voyage: { provider: 'voyage', upstreamModel: 'rerank-3', path: '/v1' },
  bedrock: {
    provider: 'bedrock',
    upstreamModel: 'cohere.rerank-v3-5:0',
    settings: 'credentials: { region: us-east-1, api_key: bedrock-key-0123456789 }',
  },
  vertex: {
    provider: 'vertex',
    upstreamModel: 'semantic-ranker-default-004',
    settings: 'api_key: ya29-0123456789abcdef, credentials: { project: gate-1234 }',
  },
}

const openService = (service: Service, more = '') =>
  openChannels([{ ...channelOf[service], script: () => jsonAnswer(answers[service]) }], more)

const texts = ['The gate is shut.', 'Water flows.', 'A third text.']

describe('documents are ranked by', () => {
  it.each([
    [
      'cohere',
      '/v2/rerank',
      { model: 'rerank-v3.5', query: body.query, documents: texts, top_n: 2, max_tokens_per_doc: 512 },
    ],
    [
      'jina',
      '/v1/rerank',
      { model: 'jina-reranker-v3', query: body.query, documents, top_n: 2, return_documents: false },
    ],
    ['voyage', '/v1/rerank', { model: 'rerank-3', query: body.query, documents: texts, top_k: 2 }],
    [
      'bedrock',
      '/model/cohere.rerank-v3-5%3A0/invoke',
      { query: body.query, documents: texts, top_n: 2, api_version: 2, max_tokens_per_doc: 512 },
    ],
    [
      'vertex',
      '/v1/projects/gate-1234/locations/global/rankingConfigs/default_ranking_config:rank',
      {
        model: 'semantic-ranker-default-004',
        query: body.query,
        records: texts.map((content, index) => ({ id: String(index), content })),
        topN: 2,
        ignoreRecordDetailsInResponse: true,
      },
    ],
  ] as const)('%s in its own form, and are returned best first', async (service, path, sent) => {
    await using open = await openService(service)
    const answer = await open.ask({ ...body, top_n: 2, max_tokens_per_doc: 512, return_documents: true })
    expect([open.sent()?.path, JSON.parse(open.sent()?.body.toString() ?? '')]).toEqual([path, sent])
    const results = [
      { index: 1, relevance_score: 0.9, document: documents[1] },
      { index: 0, relevance_score: 0.2, document: { text: documents[0] } },
    ]
    const data = [
      { index: 1, relevance_score: 0.9, document: 'Water flows.' },
      { index: 0, relevance_score: 0.2, document: documents[0] },
    ]
    expect(answer.body).toMatchObject({ results, data, object: 'list' })
    const lost =
      service !== 'cohere' && service !== 'bedrock' ? 'foreign-field(max_tokens_per_doc)=dropped' : null
    expect(answer.headers.get('x-headgate-loss')).toBe(lost)
  })

  it('one path just as by the others', async () => {
    await using open = await openService('cohere')
    for (const path of ['/v1/rerank', '/v2/rerank', '/rerank'])
      expect((await open.ask(body, path)).body).toMatchObject({ id: 'r-1' })
  })

  it('the next channel if the first fails', async () => {
    await using open = await openChannels([
      { ...channelOf.cohere, script: () => ({ status: 503 }) },
      { ...channelOf.voyage, script: () => jsonAnswer(answers.voyage) },
    ])
    const answer = await open.ask({ ...body, top_k: 1 })
    expect([answer.status, answer.headers.get('x-headgate-channel')]).toEqual([200, 'c1'])
    expect(listOf(answer.body['results'])).toHaveLength(1)
  })
})

describe('the cost of ranking', () => {
  it.each([
    ['cohere', '0.002', { total_tokens: 0, search_units: 1 }],
    ['voyage', '0.0000019', { total_tokens: 38 }],
    // The answer states nothing: a hundred documents are one unit.
    ['bedrock', '0.002', { total_tokens: 0, search_units: 1 }],
    ['vertex', '0.001', { total_tokens: 0, search_units: 1 }],
  ] as const)('is computed by the unit: %s', async (service, cost, usage) => {
    await using open = await openService(service)
    const answer = await open.ask(body)
    expect([answer.headers.get('x-headgate-cost'), answer.body['usage']]).toEqual([cost, usage])
  })

  it('is reserved beforehand: a budget that it does not fit refuses', async () => {
    const key =
      'keys: [{ name: k, secret: sk-budget-0123456789abcdef, models: ["*"], budgets: [{ limit_usd: 0.001, window: month, mode: exact }] }]\n'
    await using open = await openService('cohere', key)
    const headers = { authorization: 'Bearer sk-budget-0123456789abcdef' }
    const answer = await open.ask(body, '/v1/rerank', headers)
    expect([answer.status, open.sent()]).toEqual([429, undefined])
  })
})

describe('the cost of a ranking whose answer is not seen', () => {
  const many = { ...body, documents: Array.from({ length: 250 }, (_, index) => `text ${index}`) }
  const cohere = { provider: 'cohere', upstreamModel: 'rerank-v3.5' }
  const estimate = { state: 'estimated', cost_usd: 0.006, usage: { tool_calls: { search_unit: 3 } } }
  const within = { timeout: 30_000 }

  it('is estimated in search units if the caller left before it', async () => {
    const gate = createGate()
    await using open = await openMediaGateway([{ ...cohere, script: { chunks: [gate.opened] } }])
    const leaving = new AbortController()
    const left = open.post('/v1/rerank', many, {}, leaving.signal).catch(() => undefined)
    await expect.poll(() => open.requests().length, within).toBe(1)
    leaving.abort()
    await left
    await expect.poll(open.lastRow, within).toMatchObject({ ...estimate, charged_usd: 0.006 })
    gate.open()
  })

  it('is estimated in search units if it cannot be read, and not charged', async () => {
    const script = jsonAnswer({ results: 'none' })
    await using open = await openMediaGateway([{ ...cohere, script }])
    expect((await open.post('/v1/rerank', many)).status).toBe(502)
    await expect.poll(open.lastRow, within).toMatchObject({ cost_usd: 0.006, charged_usd: 0 })
  })
})

describe('a request to rank is refused', () => {
  it.each([
    [{ model: 'm', documents }, 'missing_field', 'query'],
    [{ model: 'm', query: 'q' }, 'missing_field', 'documents'],
    [{ model: 'm', query: 'q', documents: [] }, 'invalid_field', 'documents'],
    [{ model: 'm', query: 'q', documents: ['a', 7] }, 'invalid_field', 'documents[1]'],
    [{ ...body, top_n: 0 }, 'invalid_field', 'top_n'],
    [{ ...body, return_documents: 'yes' }, 'invalid_field', 'return_documents'],
    [{ ...body, documents: ['a', { image: 'x' }] }, 'cannot_be_carried', 'documents[1]'],
  ])('%j: %s, %s', async (asked, code, param) => {
    await using open = await openService('cohere')
    const answer = await open.ask(asked)
    expect([answer.status, fieldsOf(answer.body['error'])]).toMatchObject([400, { code, param }])
    expect(open.sent()).toBeUndefined()
  })

  it('if the channel does not support ranking', async () => {
    await using open = await openChannels([
      { provider: 'groq', upstreamModel: 'x', script: () => jsonAnswer({}) },
    ])
    const answer = await open.ask(body)
    expect(fieldsOf(answer.body['error'])).toMatchObject({ code: 'operation_not_supported', param: 'model' })
  })
})

test.each([
  ['an index of no document', { results: [{ index: 3, relevance_score: 1 }] }],
  [
    'a document twice',
    {
      results: [
        { index: 0, relevance_score: 1 },
        { index: 0, relevance_score: 1 },
      ],
    },
  ],
  ['no scores', { results: [{ index: 0 }] }],
  ['no list', { results: {} }],
])('an answer with %s is invalid', async (_what, wrong) => {
  await using open = await openChannels([{ ...channelOf.cohere, script: () => jsonAnswer(wrong) }])
  expect((await open.ask(body)).status).toBe(502)
})

test('a truncated answer is a 502', async () => {
  await using open = await openChannels([
    { ...channelOf.cohere, script: () => ({ chunks: ['{"results":[{"ind'], ending: 'reset' }) },
  ])
  expect((await open.ask(body)).status).toBe(502)
})

test('the cost is in the usage if the caller requests it', async () => {
  await using open = await openService('cohere')
  const answer = await open.ask(body, '/v1/rerank', { 'x-headgate-usage': 'cost' })
  expect(answer.body['usage']).toMatchObject({ search_units: 1, cost: 0.002 })
})
