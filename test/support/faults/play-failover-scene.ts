import type { Clock } from '../../../src/kit/time/clock.ts'
import type { UpstreamScriptInput } from '../../../tools/chaos/script/script-schema.ts'
import { openFaultUpstream } from '../../../tools/chaos/upstream/open-fault-upstream.ts'
import type { SeenRequest } from '../../../tools/chaos/upstream/upstream-traffic.ts'
import { type Asked, ask, errorAtEnd, isTerminated } from '../ask.ts'
import { channelYaml } from '../channel-yaml.ts'
import { startGateway } from '../start-gateway.ts'

/** The result of one request of a scene: the caller's answer, and what both upstreams saw of it. */
export interface FailoverResult {
  readonly answer: Asked
  readonly text: string
  readonly tookMs: number
  readonly primary: readonly SeenRequest[]
  readonly fallback: readonly SeenRequest[]
}

/** A whole answer, an error event after what was shown, or the provider's refusal of the request. */
export type SceneOutcome = 'whole' | 'error event' | 'refused'
export type FailoverMode = 'defaults' | 'verified'

export interface FailoverScene {
  readonly name: string
  readonly primary: UpstreamScriptInput
  /** The voice of the fallback, where that must be heard; else it says the same. */
  readonly fallbackVoice?: string
  /** Requests, one after the other, and the pause between their beginnings. */
  readonly times?: { readonly count: number; readonly everyMs: number }
  /** The upstream's name of the primary's model. */
  readonly model?: string
  readonly effort?: string
  readonly isAlone?: boolean
  /** Whole in both modes where nothing is said. */
  readonly expected?: Readonly<Record<FailoverMode, SceneOutcome>>
  /** Finds the faults of whole answers, or of a refusal; empty where there are none. */
  readonly judge: (results: readonly FailoverResult[]) => readonly string[]
}

export interface SceneVerdict {
  readonly name: string
  readonly outcome: SceneOutcome
  readonly problems: readonly string[]
}

const answer = { words: 60, pace: '15ms' } as const
const body = { model: 'main', stream: true, stream_options: { include_usage: true } }
const messages = [{ role: 'user', content: 'Sixty words, please.' }]

export interface SceneSetting {
  readonly mode: FailoverMode
  readonly clock: Clock
}

export async function playFailoverScene(scene: FailoverScene, setting: SceneSetting): Promise<SceneVerdict> {
  await using opened = await openFailoverScene(scene, setting)
  return await opened.play()
}

export interface OpenedScene extends AsyncDisposable {
  play(): Promise<SceneVerdict>
}

/** The gateway has channels, models and a fallback, and no other setting but, where it is to recover streams, that. */
export async function openFailoverScene(
  scene: FailoverScene,
  { mode, clock }: SceneSetting,
): Promise<OpenedScene> {
  await using cleanup = new AsyncDisposableStack()
  const open = async (script: UpstreamScriptInput, voice: string) =>
    cleanup.use(
      await openFaultUpstream({ clock, seed: 7, script: { ...script, answer: { ...answer, voice } } }),
    )
  const primary = await open(scene.primary, 'same')
  const fallback = await open({}, scene.fallbackVoice ?? 'same')
  const channels = channelYaml(
    { name: 'primary', format: 'chat', origin: primary.origin, models: { main: scene.model ?? 'main' } },
    { name: 'fallback', format: 'chat', origin: fallback.origin, models: ['spare'] },
  )
  const models = scene.isAlone === true ? '' : 'models: { main: { fallback: [spare] } }\n'
  const recovery = mode === 'verified' ? 'recovery: { mid_stream: verified }\n' : ''
  const gateway = cleanup.use(await startGateway(channels + models + recovery, undefined, { clock }))
  const effort = scene.effort === undefined ? {} : { reasoning_effort: scene.effort }
  const request = async (): Promise<FailoverResult> => {
    const seen = [primary.requests.length, fallback.requests.length]
    const startedAtMs = clock.monotonicMs()
    const got = await ask({ url: gateway.url, format: 'chat' }, { ...body, ...effort, messages })
    return {
      answer: got,
      text: textOf(got.body),
      tookMs: clock.monotonicMs() - startedAtMs,
      primary: primary.requests.slice(seen[0]),
      fallback: fallback.requests.slice(seen[1]),
    }
  }
  const { count, everyMs } = scene.times ?? { count: 1, everyMs: 0 }
  const opened = cleanup.move()
  return {
    async play() {
      const results: Promise<FailoverResult>[] = []
      for (let number = 0; number < count; number += 1) {
        results.push(request())
        if (number + 1 < count) await new Promise<void>((next) => clock.startTimer(everyMs, next))
      }
      return judgeScene(scene, mode, await Promise.all(results))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function judgeScene(
  { name, expected, judge }: FailoverScene,
  mode: FailoverMode,
  results: readonly FailoverResult[],
): SceneVerdict {
  const wanted = expected?.[mode] ?? 'whole'
  const outcome = results.map(outcomeOf).find((one) => one !== 'whole') ?? 'whole'
  const problems = wanted === 'error event' ? results.flatMap(problemsOfBreak) : judge(results)
  return {
    name,
    outcome,
    problems: [...problems, ...problemIf(outcome !== wanted, `it ended as: ${outcome}`)],
  }
}

function outcomeOf({ answer }: FailoverResult): SceneOutcome {
  if (answer.status !== 200) return 'refused'
  return isTerminated('chat', answer.body.toString()) ? 'whole' : 'error event'
}

/**
 * An answer that breaks off must not look whole: an error event ends it, no terminator, and its text is a beginning.
 */
function problemsOfBreak({ answer, text }: FailoverResult): string[] {
  const stream = answer.body.toString()
  return [
    ...problemIf(!wordsOf('same').startsWith(text), 'what was shown is no beginning of the answer'),
    ...problemIf(isTerminated('chat', stream), 'it looks whole'),
    ...problemIf(errorAtEnd('chat', stream) === undefined, 'there is no error event at its end'),
  ]
}

/** Whether the caller got all of the answer: 60 words of this voice, usage and the terminator. */
export function problemsOfAnswer({ answer, text }: FailoverResult, voice = 'same'): string[] {
  const stream = answer.body.toString()
  return [
    ...problemIf(answer.status !== 200, `the status is ${answer.status}`),
    ...problemIf(text !== wordsOf(voice), `the answer is ${stream.slice(-300)}`),
    ...problemIf(answer.isCut || !isTerminated('chat', stream), 'the answer is not whole'),
    ...problemIf(!stream.includes('"completion_tokens"'), 'usage is missing'),
  ]
}

export function problemIf(isSo: boolean, problem: string): string[] {
  return isSo ? [problem] : []
}

function wordsOf(voice: string): string {
  return Array.from({ length: 60 }, (_, index) => `${voice}-${index + 1}`).join(' ')
}

function textOf(stream: Buffer): string {
  const parts = stream.toString().matchAll(/"content":"([^"]*)"/g)
  return [...parts].map(([, words]) => words).join('')
}
