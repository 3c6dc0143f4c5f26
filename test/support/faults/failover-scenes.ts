import type { FaultInput } from '../../../tools/chaos/script/fault-schema.ts'
import {
  type FailoverResult,
  type FailoverScene,
  problemIf,
  problemsOfAnswer,
} from './play-failover-scene.ts'

const always = (fault: FaultInput) => ({ rules: [{ do: fault }] })
const once = (fault: FaultInput) => ({ rules: [{ when: { attempt: 1 }, do: fault }] })
/** Requests, all of whose answers the caller gets; `more` says what else must hold. */
function whole(
  more: (result: FailoverResult) => readonly string[] = () => [],
  voice?: string,
): FailoverScene['judge'] {
  return (results) => results.flatMap((one) => [...problemsOfAnswer(one, voice), ...more(one)])
}

const asked = ({ primary, fallback }: FailoverResult, counts: readonly [number, number]) =>
  problemIf(
    primary.length !== counts[0] || fallback.length !== counts[1],
    `the upstreams saw ${primary.length} and ${fallback.length} requests`,
  )
const within = ({ tookMs }: FailoverResult, limitMs: number) =>
  problemIf(tookMs >= limitMs, `it took ${Math.round(tookMs)} ms`)
const early = ({ primary }: FailoverResult, untilMs: number) => {
  const [first] = primary
  return primary.filter(({ atMs }) => atMs - (first?.atMs ?? 0) < untilMs).length
}

/**
 * An answer of which content was shown can be made whole by another one that says the same alone, which is off by
 * default.
 */
const onlyVerified = { defaults: 'error event', verified: 'whole' } as const

/**
 * The sixteen faults of a public failover benchmark: one upstream that fails, one fallback model behind it,
 * an answer of 60 words at 15 ms a word.
 */
export const failoverScenes: readonly FailoverScene[] = [
  {
    name: 'B1 a rate limit of two seconds',
    primary: once({ reply: { error: 'rate-limit', retry_after: { seconds: 2 } } }),
    judge: whole((one) => {
      const [first, second] = one.primary
      const waitedMs = (second?.atMs ?? Number.POSITIVE_INFINITY) - (first?.atMs ?? 0)
      return [
        ...problemIf(waitedMs < 1_800, `it was asked again after ${waitedMs} ms`),
        ...problemIf(early(one, 1_500) > 2, 'it was asked too often at first'),
      ]
    }),
  },
  {
    name: 'B2 a rate limit for ever',
    primary: always({ reply: { error: 'rate-limit', retry_after: { seconds: 2 } } }),
    fallbackVoice: 'other',
    judge: whole(
      (one) => [
        ...problemIf(early(one, 3_000) > 4, 'it was asked too often at first'),
        ...problemIf(one.primary.length > 6, 'it was asked too often'),
      ],
      'other',
    ),
  },
  {
    name: 'B3 one error of the server',
    primary: once({ reply: { error: 'internal' } }),
    judge: whole((one) => asked(one, [2, 0])),
  },
  {
    name: 'B4 unavailable for ever',
    primary: always({ reply: { error: 'unavailable' } }),
    fallbackVoice: 'other',
    judge: whole((one) => problemIf(one.primary.length > 6, 'it was asked too often'), 'other'),
  },
  {
    name: 'B5 a reset before the headers',
    primary: always({ cut: { after: 'request', by: 'reset' } }),
    judge: whole((one) => within(one, 15_000)),
  },
  {
    name: 'B6 silence for two minutes',
    primary: always({ stall: { after: 'request', for: '120s' } }),
    judge: whole((one) => [...asked(one, [1, 1]), ...within(one, 100_000)]),
  },
  {
    name: 'B7 headers at once, the first word after twenty seconds',
    primary: always({ delay: { content: '20s' } }),
    judge: whole((one) => [...asked(one, [1, 1]), ...within(one, 15_000)]),
  },
  {
    name: 'B8 a cut after forty words',
    primary: always({ cut: { after: { words: 40 }, by: 'reset' } }),
    expected: onlyVerified,
    judge: whole(),
  },
  {
    name: 'B9 twenty words, half a minute of silence, the end',
    primary: always({
      stall: { after: { words: 20 }, for: '30s' },
      cut: { after: { words: 20 }, by: 'fin' },
    }),
    expected: onlyVerified,
    judge: whole((one) => within(one, 45_000)),
  },
  {
    name: 'B10 an event that is not JSON in the middle',
    primary: once({ events: [{ insert: 'invalid-json', after: { words: 30 } }] }),
    expected: onlyVerified,
    judge: whole(),
  },
  {
    name: 'B11 no [DONE]',
    primary: always({ events: [{ drop: 'terminator' }] }),
    judge: whole((one) => [...within(one, 8_000), ...asked(one, [1, 0])]),
  },
  {
    name: 'B12 a context that is too long',
    primary: always({ reply: { error: 'context-length' } }),
    fallbackVoice: 'other',
    judge: whole((one) => asked(one, [1, 1]), 'other'),
  },
  {
    name: 'B13 a violation of the content policy',
    primary: always({ reply: { error: 'content-policy' } }),
    // A refusal of a request by a provider is handed on, and not shopped around for.
    expected: { defaults: 'refused', verified: 'refused' },
    judge: (results) =>
      results.flatMap((one) => [
        ...asked(one, [1, 0]),
        ...problemIf(one.answer.status !== 400, `the status is ${one.answer.status}`),
        ...problemIf(!one.answer.body.includes('content policy'), 'the reason is not told'),
      ]),
  },
  {
    name: 'B14 a cut, and a fallback that takes no prefill',
    primary: always({ cut: { after: { words: 40 }, by: 'fin' } }),
    expected: onlyVerified,
    judge: whole((one) =>
      problemIf(
        one.fallback.some(({ body }) => body.includes('"assistant"')),
        'the fallback was given a beginning',
      ),
    ),
  },
  {
    name: 'B15 unavailable for a minute, then healthy',
    primary: { rules: [{ when: { until: '60s' }, do: { reply: { error: 'unavailable' } } }] },
    times: { count: 20, everyMs: 5_000 },
    judge: (results) => {
      const back = results.findIndex((one, index) => index * 5 >= 60 && one.fallback.length === 0)
      const backAtMs = back < 0 ? Number.POSITIVE_INFINITY : back * 5_000
      return [
        ...results.flatMap((one) => problemsOfAnswer(one)),
        ...problemIf(backAtMs > 90_000, `the primary answered again after ${backAtMs} ms`),
      ]
    },
  },
  {
    name: 'B16 the model and the usage of the fallback',
    primary: always({ reply: { error: 'internal' } }),
    fallbackVoice: 'other',
    judge: whole((one) => {
      const stream = one.answer.body.toString()
      return [
        ...problemIf(one.answer.headers['x-headgate-channel'] !== 'fallback', 'another channel is named'),
        ...problemIf(!stream.includes('"model":"spare"'), 'another model is named'),
        ...problemIf(!stream.includes('"completion_tokens":60'), 'the usage is not that of the fallback'),
      ]
    }, 'other'),
  },
]

const thinking = always({ delay: { content: '90s' } })
const byThePrimary: FailoverScene['judge'] = whole((one) => asked(one, [1, 0]), 'same')

/** Ninety seconds of silent thinking, after which the model that thinks is to be heard. */
export const thinkingScenes: readonly FailoverScene[] = [
  {
    name: 'a fallback, and an effort that is asked for',
    primary: thinking,
    effort: 'high',
    judge: byThePrimary,
  },
  { name: 'a fallback, and a model that reasons', primary: thinking, model: 'o3', judge: byThePrimary },
  {
    name: 'no fallback, and an effort',
    primary: thinking,
    effort: 'high',
    isAlone: true,
    judge: byThePrimary,
  },
  { name: 'no fallback, and no word of reasoning', primary: thinking, isAlone: true, judge: byThePrimary },
]
