import { equal, ok } from 'node:assert/strict'
import { Refusal } from '../../../support/agent/conversation.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'

const words = 'Now it went well.'

export const rateLimit: FrameworkScenario = {
  name: 'rate limit',
  findLedgerRefusal: ({ framework }) => framework.without?.['rate limit'],
  async run({ open }) {
    const error = new Refusal('Too many requests.', { status: 429 })
    await using bench = await open((_heard, index) =>
      index === 0 ? { error, headers: { 'retry-after': '2' } } : { text: words },
    )
    equal((await bench.client.ask('Hello')).text, words)
    const [first, second] = bench.upstream.heard
    const waitedMs = (second?.atMs ?? 0) - (first?.atMs ?? 0)
    ok(waitedMs >= 1_900 && waitedMs < 3_500, `waited ${waitedMs.toFixed(0)} ms where 2000 were asked for`)
  },
}

export const serverError: FrameworkScenario = {
  name: 'server error',
  findLedgerRefusal: ({ framework }) => framework.without?.['server error'],
  async run({ open }) {
    const error = new Refusal('Something broke.', { status: 500 })
    await using bench = await open((_heard, index) => (index === 0 ? { error } : { text: words }))
    equal((await bench.client.ask('Hello')).text, words)
    equal(bench.upstream.heard.length, 2)
  },
}
