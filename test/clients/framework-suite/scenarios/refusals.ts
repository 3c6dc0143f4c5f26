import { equal, match } from 'node:assert/strict'
import { Refusal } from '../../../support/agent/conversation.ts'
import { failureOf } from '../failure-of.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'

export const wrongKey: FrameworkScenario = {
  name: 'wrong key',
  async run({ open }) {
    await using bench = await open(() => ({ text: 'never' }))
    const client = bench.connect({ key: 'sk-wrong-0123456789abcdef' })
    const { status, words } = await failureOf(client.ask('Hello'))
    equal(status, 401, words)
    match(words, /key/)
    equal(bench.upstream.server.requests.length, 0, 'the upstream was asked')
  },
}

export const unknownModel: FrameworkScenario = {
  name: 'unknown model',
  async run({ open }) {
    await using bench = await open(() => ({ text: 'never' }))
    const { status, words } = await failureOf(bench.connect({ model: 'no-such-model' }).ask('Hello'))
    equal(status, 404, words)
    match(words, /no-such-model/)
    equal(bench.upstream.server.requests.length, 0, 'the upstream was asked')
  },
}

const objection = 'This prompt is longer than the model likes.'

export const badRequest: FrameworkScenario = {
  name: 'bad request',
  async run({ open }) {
    await using bench = await open(() => ({ error: new Refusal(objection) }))
    const { status, words } = await failureOf(bench.client.ask('Hello'))
    equal(status, 400, words)
    match(words, new RegExp(objection))
    equal(bench.upstream.heard.length, 1, 'it was asked again')
  },
}
