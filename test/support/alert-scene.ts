import { expect } from 'vitest'
import { receiverTypes } from '../../src/alerts/receivers/receiver-schema.ts'
import type { Clock } from '../../src/kit/time/clock.ts'
import { type AskAdmin, createAskAdmin } from './ask-admin.ts'
import { createQuickClock } from './quick-clock.ts'
import { receiverSchemas } from './receiver-schemas.ts'
import { openScriptedUpstream, type ScriptedUpstream, type UpstreamHandler } from './scripted-upstream.ts'
import { type StartedGateway, startGateway, testKey } from './start-gateway.ts'
import { until } from './until.ts'

/** The body of a POST to the webhook. */
export interface ReceivedAlert {
  readonly type: string
  readonly kind: string
  readonly status: 'open' | 'resolved'
  readonly severity: string
  readonly alert: string
  readonly message: string
  readonly resolution: string | null
  readonly [name: string]: unknown
}

export interface AlertScene extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly upstream: ScriptedUpstream
  readonly admin: AskAdmin
  /** Sends a request and gives its status. */
  send(model?: string): Promise<number>
  /** The next report of this kind and status that every receiver got, in the words of the webhook. */
  received(kind: string, status: 'open' | 'resolved'): Promise<ReceivedAlert>
  /** All that a receiver got. */
  bodiesOf(type: string): readonly unknown[]
  /** Replaces the rules, by the admin API. */
  setRules(rules: readonly object[]): Promise<void>
}

export interface SceneOptions {
  readonly answer: UpstreamHandler
  readonly rules: readonly object[]
  /** The configuration file; `ORIGIN` stands for the upstream. */
  readonly yaml?: string
  readonly clock?: Clock
  readonly folder?: string
  /** Another one that stays open. */
  readonly upstream?: ScriptedUpstream
}

const ROUTING_KEY = '0123456789abcdef0123456789abcdef'
export const QUICK_TIMES = 20

const defaultYaml =
  'channels: [{ name: a, provider: openai-compatible, base_url: "ORIGIN/v1", api_key: sk-upstream-0123456789, models: [m], allow_private: true }]\nretry: { attempts: 1 }\n'

/** A gateway whose time goes quickly, with one receiver of each type, which the admin API configures. */
export async function openAlertScene(options: SceneOptions): Promise<AlertScene> {
  await using cleanup = new AsyncDisposableStack()
  const upstream = options.upstream ?? cleanup.use(await openScriptedUpstream(options.answer))
  const receiver = cleanup.use(await openScriptedUpstream({ status: 202 }))
  const yaml = (options.yaml ?? defaultYaml).replaceAll('ORIGIN', upstream.origin)
  const clock = options.clock ?? createQuickClock(QUICK_TIMES)
  const gateway = cleanup.use(
    await startGateway(`${yaml}\nadmin: { allow_private: true }\n`, options.folder, { clock }),
  )
  const admin = createAskAdmin(gateway.url)
  const receivers = receiverTypes.map((type) => ({
    name: type,
    type,
    url: `${receiver.origin}/${type}/path-that-is-a-secret`,
    allow_private: true,
    ...(type === 'pagerduty' && { routing_key: ROUTING_KEY }),
  }))
  async function setRules(rules: readonly object[]) {
    const { body } = await admin('GET', '/config')
    const { document } = body as { readonly document: object }
    const alerts = { receivers, rules, repeat: '30d' }
    const put = await admin('PUT', '/config', { body: { document: { ...document, alerts } } })
    expect(put.status, put.text).toBe(200)
  }
  await setRules(options.rules)
  const bodiesOf = (type: string) =>
    receiver.requests
      .filter(({ path }) => path.startsWith(`/${type}/`))
      .map(({ body }) => JSON.parse(body.toString()) as unknown)
  const seen = new Set<unknown>()
  const opened = cleanup.move()
  return {
    gateway,
    upstream,
    admin,
    bodiesOf,
    setRules,
    async send(model = 'm') {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      await response.text()
      return response.status
    },
    async received(kind, status) {
      const find = () =>
        (bodiesOf('webhook') as ReceivedAlert[]).find(
          (each) =>
            each.kind === kind && each.status === status && !seen.has(`${each.alert} ${each.message}`),
        )
      await until(`the webhook has ${kind} ${status}`, () => find() !== undefined)
      const found = find()
      if (found === undefined) throw new Error('it was there')
      seen.add(`${found.alert} ${found.message}`)
      const count = bodiesOf('webhook').length
      for (const type of receiverTypes) {
        await until(`${type} has it, too`, () => bodiesOf(type).length >= count)
        for (const body of bodiesOf(type)) expect(receiverSchemas[type].parse(body)).toEqual(body)
      }
      return found
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
