import { systemClock } from '../../../src/kit/clock.ts'
import { openFaultUpstream } from '../../../src/simulator/faults/open-fault-upstream.ts'
import type { UpstreamScriptInput } from '../../../src/simulator/faults/script-schema.ts'
import type { SeenRequest } from '../../../src/simulator/faults/upstream-traffic.ts'
import { type Asked, ask, isTerminated } from '../ask.ts'
import { channelYaml } from '../channel-yaml.ts'
import { startGateway } from '../start-gateway.ts'

/** What one scene came to: the caller's answer, and the requests of both upstreams. */
export interface FailoverResult {
  readonly answer: Asked
  readonly text: string
  readonly tookMs: number
  readonly primary: readonly SeenRequest[]
  readonly fallback: readonly SeenRequest[]
}

export interface FailoverScene {
  readonly name: string
  readonly primary: UpstreamScriptInput
  readonly fallback?: UpstreamScriptInput
  /** The voice of the fallback, where that must be heard or must say the same. */
  readonly fallbackVoice?: string
  /** Requests, one after the other, and the pause between their beginnings. */
  readonly times?: { readonly count: number; readonly everyMs: number }
  /** Sections of the file beyond the scene's own. */
  readonly more?: string
  /** Both models say how much they can read, the fallback more. */
  readonly isLargerDeclared?: boolean
  /** Settings of the failing channel. */
  readonly channelMore?: string
  /** What is wrong; empty where nothing is. */
  readonly judge: (results: readonly FailoverResult[]) => readonly string[]
}

const answer = { words: 60, pace: '15ms' } as const
const body = { model: 'main', stream: true, stream_options: { include_usage: true } }
const messages = [{ role: 'user', content: 'Sixty words, please.' }]

export async function playFailoverScene(scene: FailoverScene): Promise<readonly string[]> {
  await using cleanup = new AsyncDisposableStack()
  const open = async (script: UpstreamScriptInput, voice: string) =>
    cleanup.use(
      await openFaultUpstream({
        clock: systemClock,
        seed: 7,
        script: { ...script, answer: { ...answer, voice } },
      }),
    )
  const primary = await open(scene.primary, 'same')
  const fallback = await open(scene.fallback ?? {}, scene.fallbackVoice ?? 'same')
  const channels = channelYaml(
    {
      name: 'primary',
      format: 'chat',
      origin: primary.origin,
      models: ['main'],
      ...(scene.channelMore === undefined ? {} : { more: scene.channelMore }),
    },
    { name: 'fallback', format: 'chat', origin: fallback.origin, models: ['spare'] },
  )
  const window = scene.isLargerDeclared === true ? ', context_window: 8192' : ''
  const larger = scene.isLargerDeclared === true ? ', spare: { context_window: 128000 }' : ''
  const settings = `models: { main: { fallback: [spare]${window} }${larger} }\nretry: { attempts: 3, deadline: 30s }\n`
  const gateway = cleanup.use(await startGateway(channels + settings + (scene.more ?? '')))
  const once = async (): Promise<FailoverResult> => {
    const seen = [primary.requests.length, fallback.requests.length]
    const startedAtMs = performance.now()
    const got = await ask({ url: gateway.url, format: 'chat' }, { ...body, messages })
    return {
      answer: got,
      text: textOf(got.body),
      tookMs: performance.now() - startedAtMs,
      primary: primary.requests.slice(seen[0]),
      fallback: fallback.requests.slice(seen[1]),
    }
  }
  const { count, everyMs } = scene.times ?? { count: 1, everyMs: 0 }
  const results: Promise<FailoverResult>[] = []
  for (let number = 0; number < count; number += 1) {
    results.push(once())
    if (number + 1 < count) await new Promise((next) => setTimeout(next, everyMs))
  }
  return scene.judge(await Promise.all(results))
}

/** Whether the caller got all of the answer: 60 words of this voice, usage and the terminator. */
export function problemsOfAnswer({ answer, text }: FailoverResult, voice = 'same'): string[] {
  const stream = answer.body.toString()
  const wanted = Array.from({ length: 60 }, (_, index) => `${voice}-${index + 1}`).join(' ')
  return [
    ...problemIf(answer.status !== 200, `the status is ${answer.status}`),
    ...problemIf(text !== wanted, `the answer is ${stream.slice(-300)}`),
    ...problemIf(answer.isCut || !isTerminated('chat', stream), 'the answer is not whole'),
    ...problemIf(!stream.includes('"completion_tokens"'), 'usage is missing'),
  ]
}

export function problemIf(isSo: boolean, problem: string): string[] {
  return isSo ? [problem] : []
}

function textOf(stream: Buffer): string {
  const parts = stream.toString().matchAll(/"content":"([^"]*)"/g)
  return [...parts].map(([, words]) => words).join('')
}
