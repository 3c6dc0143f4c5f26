// Prices every recorded answer that has usage and a price, twice: through the readers and the arithmetic of
// the gateway, each lane by itself, and by a calculation that knows only the providers' words and the table's
// file. Both come to the same nano-dollar. `--write FILE` leaves the cases for `compare-litellm.py`.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { costOf } from '../../src/catalog/prices/cost-of.ts'
import { priceAt } from '../../src/catalog/prices/price-history.ts'
import { createPriceIndex } from '../../src/catalog/prices/price-index.ts'
import builtIn from '../../src/catalog/prices/price-table.json' with { type: 'json' }
import { billedTier } from '../../src/catalog/prices/tier-of.ts'
import { createModelFinder } from '../../src/providers/prices/create-model-finder.ts'
import { providerRegistry } from '../../src/providers/registry.ts'
import { type CorpusCase, loadCases } from '../support/corpus.ts'
import { createChannel } from '../support/create-channel.ts'
import { findModel, type PricedModel, priceBill } from './price-truth/price-bill.ts'
import { type Bill, fieldsOf, readBill, statedCost } from './price-truth/read-bill.ts'
import { readWithHeadgate } from './price-truth/read-with-headgate.ts'
import { findCall, payloadsOf, type RecordedCall } from './price-truth/recorded-answer.ts'

const { values: options } = parseArgs({ options: { write: { type: 'string' } } })
/** A Monday at noon, so that prices of some hours are always the same. */
const at = new Date('2026-11-23T12:00:00Z')
const find = createModelFinder(providerRegistry, [createPriceIndex(builtIn)])

type Judged =
  | { readonly type: 'other'; readonly reason: string }
  | {
      readonly type: 'priced'
      readonly expected: bigint
      readonly got: readonly (readonly [string, bigint | undefined])[]
      readonly bill: Bill
      readonly call: RecordedCall
    }

function judge(recorded: CorpusCase): Judged {
  const other = (reason: string): Judged => ({ type: 'other', reason })
  if (recorded.response.status >= 400) return other('error')
  const payloads = payloadsOf(recorded)
  if (payloads === undefined) return other('stream of a form that no channel speaks')
  if (Array.isArray(recorded.response.body))
    return other('stream as one JSON array, which no channel asks for')
  if (/count_tokens|models$/.test(recorded.api)) return other('count of tokens or list of models')
  if (recorded.api === 'bedrock.invoke' && !isClaudes(payloads)) return other('form that no channel speaks')
  if (/^(?:ollama|vertex)\.|embed(?:Content)?$/.test(recorded.api))
    return other('form or vectors without counts of tokens')
  const bill = readBill({ api: recorded.api, provider: recorded.provider, payloads })
  if (bill === undefined) return other('no usage')
  if (isSeveral(payloads)) return other('several answers recorded as one stream')
  const call = findCall(recorded, payloads)
  if (call === undefined) return other('no public price list of the provider')
  const model = findModel(call.provider, namesOf(call))
  if (model === undefined) return other('no price of the model')
  const expected = priceAll(bill, model, call)
  return { type: 'priced', expected, bill, call, got: priceWithHeadgate(recorded, call) }
}

function isClaudes(payloads: readonly unknown[]): boolean {
  return payloads.some((payload) => ['message', 'message_start'].includes(String(fieldsOf(payload)['type'])))
}

/** Some recorders joined the streams of several requests. */
function isSeveral(payloads: readonly unknown[]): boolean {
  const begun = payloads.filter((payload) => {
    const { type } = fieldsOf(payload)
    return type === 'message_start' || type === 'response.created'
  })
  return begun.length > 1
}

/** An inference profile of Bedrock costs what its model does, where it has no price of its own. */
function namesOf({ provider, model }: RecordedCall): readonly string[] {
  if (provider !== 'bedrock') return [model]
  const name = model.startsWith('arn:') ? model.slice(model.lastIndexOf('/') + 1) : model
  return [name, name.replace(/^(?:us|eu|apac|au|jp|ca|us-gov|global)\./, '')]
}

function priceAll(bill: Bill, model: PricedModel, call: RecordedCall): bigint {
  const regional = call.location !== undefined && call.location !== 'global' ? 'regional' : undefined
  const region =
    call.provider === 'vertex' ? regional : call.provider === 'anthropic' ? bill.region : undefined
  return priceBill(bill, model, { at, region })
}

/** The answers for which the gateway is known to differ: the cost that it comes to, and why. */
const exceptions: Readonly<Record<string, string>> = {
  advisor:
    'The tokens of an advisor are billed at the rates of its own model. The gateway has the price of the model that was asked alone: it counts them at those rates, and the row says that it is estimated.',
}

function exceptionOf({ others }: Bill): string | undefined {
  return others.length > 0 ? 'advisor' : undefined
}

function priceWithHeadgate(recorded: CorpusCase, { provider, model, location }: RecordedCall) {
  const settings = location === undefined ? undefined : { project: 'one', region: location }
  const channel = { ...createChannel({ name: 'one', provider, models: 'listed' }), settings }
  const { prices } = find(channel, model)
  const version = prices === undefined ? undefined : priceAt(prices, at.getTime())
  return readWithHeadgate(recorded).map(([lane, { usage, tier }]) => {
    if (usage === undefined || version === undefined) return [lane, undefined] as const
    const served = { tier: billedTier(usage, tier), atMs: at.getTime(), region: usage.region }
    return [lane, BigInt(costOf(usage, version, served))] as const
  })
}

const cases = loadCases({})
if (cases !== undefined) run(cases)

function run(all: readonly CorpusCase[]): void {
  const counts = new Map<string, number>()
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const lines: string[] = []
  let wrong = 0
  for (const recorded of all) {
    const judged = judge(recorded)
    if (judged.type === 'other') {
      add(`not priced: ${judged.reason}`)
      continue
    }
    const { expected, got, bill, call } = judged
    const stated = statedCost(bill.raw)
    if (stated !== undefined) add(`stated by ${call.provider}: ${compareStated(stated, Number(expected))}`)
    const exception = exceptionOf(bill)
    if (exception !== undefined) {
      add(`explained: ${exception}`)
      continue
    }
    const isEqual = got.length > 0 && got.every(([, cost]) => cost === expected)
    add(isEqual ? `equal: ${recorded.api}` : `DIFFERENT: ${recorded.api}`)
    add(isEqual ? 'equal' : 'DIFFERENT')
    if (!isEqual) {
      wrong += 1
      say(
        `${recorded.id}: ${call.provider}/${call.model}: expected ${expected}, ${got.map(([lane, cost]) => `${lane} ${cost}`).join(', ')}`,
      )
      say(
        `  ${JSON.stringify({ ...bill, raw: bill.raw }, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))}`,
      )
    }
    const [cost] = got.map(([, each]) => each)
    lines.push(
      JSON.stringify({
        id: recorded.id,
        api: recorded.api,
        ...call,
        usage: bill.raw,
        calls: Object.fromEntries(Object.entries(bill.calls).map(([name, number]) => [name, Number(number)])),
        tier: bill.tier,
        nano: Number(cost ?? -1),
      }),
    )
  }
  for (const [name, number] of [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1)))
    say(`${String(number).padStart(6)}  ${name}`)
  for (const [name, reason] of Object.entries(exceptions)) say(`${name}: ${reason}`)
  if (options.write !== undefined) writeFileSync(options.write, `${lines.join('\n')}\n`)
  process.exitCode = wrong === 0 ? 0 : 1
}

/** Perplexity rounds each part to a hundred-thousandth of a dollar; prices may have changed since the recording. */
function compareStated(stated: number, expected: number): string {
  if (Math.abs(stated - expected) <= 1) return 'equal'
  return Math.abs(stated - expected) <= 200_000
    ? 'equal but for its rounding'
    : 'different, at the prices of its day'
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
