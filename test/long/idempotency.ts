// 1,000 requests at once under 100 idempotency keys, whole answers and streams, in a random order: exactly
// 100 calls reach the provider, all requests of a key get the same bytes, and the ledger has 100 rows. After
// a restart all of them are asked once more, and nothing is called. In every second round a tenth of those
// who join leave early. ROUNDS and SEED by the environment.
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { createLedgerReader } from '../../src/storage/ledger/open-ledger-reader.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { jsonAnswer, openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const KEYS = 100
const REQUESTS_OF_KEY = 10
/** The price of 10 tokens of input and 20 of output. */
const PRICE = 50_000

const random = createSeededRandom(SEED)
const failures: string[] = []
let leavers = 0

process.stdout.write(`idempotency: seed ${SEED}\n`)
for (let round = 1; round <= ROUNDS; round += 1) await play(round)
for (const failure of failures) process.stdout.write(`${failure}\n`)
process.stdout.write(
  `idempotency: ${ROUNDS} rounds of ${KEYS * REQUESTS_OF_KEY} requests under ${KEYS} keys, ${leavers} callers left early: ${failures.length} failures\n`,
)
process.exitCode = failures.length === 0 ? 0 : 1

async function play(round: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-idempotency-'))
  const gate = createGate()
  const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
  await using upstream = await openScriptedUpstream(async ({ body }, index) => {
    const head = { id: `c${index}`, created: 1, model: 'm' }
    const frame = (more: object) => `data: ${JSON.stringify({ ...head, ...more })}\n\n`
    if (JSON.parse(body.toString()).stream === true)
      return sseAnswer([
        frame({ choices: [{ index: 0, delta: { content: 'Hi' } }] }),
        gate.opened,
        frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        frame({ choices: [], usage }),
        'data: [DONE]\n\n',
      ])
    await gate.opened
    const message = { role: 'assistant', content: 'Hi' }
    return jsonAnswer({
      ...head,
      object: 'chat.completion',
      usage,
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    })
  })
  const channel = { name: 'c', format: 'chat' as const, origin: upstream.origin, models: ['m'] }
  const yaml = `${channelYaml(channel)}models: { m: { price: { input: 1, output: 2 } } }\n`
  const expect = (what: string, is: unknown, wanted: unknown) => {
    if (is !== wanted) failures.push(`round ${round}: ${what}: ${String(is)}, not ${String(wanted)}`)
  }

  let gateway = await startGateway(yaml, folder)
  const order = shuffle(Array.from({ length: KEYS * REQUESTS_OF_KEY }, (_, index) => index))
  const send = (index: number, leaves: boolean) => ask(gateway.url, index % KEYS, leaves)
  const asked: Promise<Answered>[] = []
  if (round % 2 === 1) {
    asked.push(...order.map((index) => send(index, false)))
    await upstream.request(KEYS - 1)
  } else {
    // A call that all of its callers leave ends, so that one of each key is there first and stays.
    asked.push(...order.filter((index) => index < KEYS).map((index) => send(index, false)))
    await upstream.request(KEYS - 1)
    const joining = order.filter((index) => index >= KEYS)
    asked.push(...joining.map((index) => send(index, random.fraction() < 0.1)))
  }
  gate.open()
  const answers = await Promise.all(asked)
  expect('calls', upstream.requests.length, KEYS)
  const texts = new Map<number, string>()
  for (const { key, text, hasLeft, status } of answers) {
    if (hasLeft) {
      leavers += 1
      continue
    }
    expect(`status of key ${key}`, status, 200)
    const known = texts.get(key)
    if (known === undefined) texts.set(key, text)
    else expect(`answer of key ${key}`, text, known)
  }
  expect('different answers', new Set(texts.values()).size, KEYS)
  await gateway[Symbol.asyncDispose]()

  gateway = await startGateway(yaml, folder)
  for (const { key, text } of await Promise.all(
    Array.from({ length: KEYS }, (_, key) => ask(gateway.url, key, false)),
  ))
    expect(`answer of key ${key} after a restart`, text, texts.get(key))
  expect('calls after a restart', upstream.requests.length, KEYS)
  await gateway[Symbol.asyncDispose]()
  const ledger = readLedger(gateway.dataFolder)
  expect('rows', ledger.rows, KEYS)
  expect('charged', ledger.charged, KEYS * PRICE)
  const reader = createLedgerReader(gateway.dataFolder)
  const { differenceCount } = await reader.verify(systemClock.nowMs())
  await reader.close()
  expect('differences in the ledger', differenceCount, 0)
  rmSync(folder, { recursive: true, force: true })
}

interface Answered {
  readonly key: number
  readonly status: number | undefined
  readonly text: string
  readonly hasLeft: boolean
}

function ask(url: string, key: number, leaves: boolean): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      // A connection for each, so that none waits for another.
      agent: new Agent({ maxSockets: 1 }),
      headers: {
        authorization: `Bearer ${testKey}`,
        'content-type': 'application/json',
        'idempotency-key': `key-${key}`,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      if (leaves) {
        resolve({ key, status: undefined, text: '', hasLeft: true })
        sent.destroy()
        return
      }
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ key, status: response.statusCode, text, hasLeft: false }))
      response.on('error', reject)
    })
    // Half of the keys ask for streams.
    const isStream = key % 2 === 0
    sent.end(
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `Say ${key}` }], stream: isStream }),
    )
  })
}

function readLedger(dataFolder: string): { readonly rows: unknown; readonly charged: unknown } {
  const database = new DatabaseSync(join(dataFolder, 'ledger.db'), { readOnly: true })
  const row = database.prepare('select count(*) as rows, sum(charged) as charged from ledger').get() ?? {}
  database.close()
  return { rows: row['rows'], charged: row['charged'] }
}

function shuffle(items: readonly number[]): readonly number[] {
  return items
    .map((item) => ({ item, at: random.fraction() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
