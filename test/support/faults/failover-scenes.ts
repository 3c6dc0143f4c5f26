import type { FaultInput } from '../../../src/simulator/faults/fault-schema.ts'
import {
  type FailoverResult,
  type FailoverScene,
  problemIf,
  problemsOfAnswer,
} from './play-failover-scene.ts'

const always = (fault: FaultInput) => ({ rules: [{ do: fault }] })
const once = (fault: FaultInput) => ({ rules: [{ when: { attempt: 1 }, do: fault }] })
const verified = 'recovery: { mid_stream: verified }\n'

/** One request, all of whose answer the caller gets; `more` says what else must hold. */
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

export const failoverScenes: readonly FailoverScene[] = [
  {
    name: 'a rate limit of two seconds',
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
    name: 'a rate limit for ever',
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
    name: 'one error of the server',
    primary: once({ reply: { error: 'internal' } }),
    judge: whole((one) => asked(one, [2, 0])),
  },
  {
    name: 'unavailable for ever',
    primary: always({ reply: { error: 'unavailable' } }),
    fallbackVoice: 'other',
    judge: whole((one) => problemIf(one.primary.length > 6, 'it was asked too often'), 'other'),
  },
  {
    name: 'a reset before the headers',
    primary: always({ cut: { after: 'request', by: 'reset' } }),
    judge: whole((one) => within(one, 15_000)),
  },
  {
    name: 'silence for two minutes',
    primary: always({ stall: { after: 'request', for: '120s' } }),
    channelMore: 'timeouts: { headers: 20s }',
    judge: whole((one) => [...asked(one, [1, 1]), ...within(one, 100_000)]),
  },
  {
    name: 'headers at once, the first word after twenty seconds',
    primary: always({ delay: { content: '20s' } }),
    channelMore: 'timeouts: { first_content: 10s }',
    judge: whole((one) => within(one, 15_000)),
  },
  {
    name: 'a cut after forty words',
    primary: always({ cut: { after: { words: 40 }, by: 'reset' } }),
    more: verified,
    judge: whole(),
  },
  {
    name: 'twenty words, half a minute of silence, the end',
    primary: always({
      stall: { after: { words: 20 }, for: '30s' },
      cut: { after: { words: 20 }, by: 'fin' },
    }),
    more: verified,
    channelMore: 'timeouts: { idle: 15s, progress: 15s }',
    judge: whole((one) => within(one, 45_000)),
  },
  {
    name: 'an event that is no JSON in the middle',
    primary: once({ events: [{ insert: 'invalid-json', after: { words: 30 } }] }),
    more: verified,
    times: { count: 2, everyMs: 3_000 },
    judge: whole(),
  },
  {
    name: 'no [DONE]',
    primary: always({ events: [{ drop: 'terminator' }] }),
    judge: whole((one) => [...within(one, 8_000), ...asked(one, [1, 0])]),
  },
  {
    name: 'a context that is too long',
    primary: always({ reply: { error: 'context-length' } }),
    fallbackVoice: 'other',
    // Only what is declared larger may be asked instead.
    isLargerDeclared: true,
    judge: whole((one) => asked(one, [1, 1]), 'other'),
  },
  {
    name: 'a violation of the content policy',
    primary: always({ reply: { error: 'content-policy' } }),
    judge: ([one]) =>
      one === undefined
        ? ['nothing was asked']
        : [
            ...asked(one, [1, 0]),
            ...problemIf(one.answer.status !== 400, `the status is ${one.answer.status}`),
            ...problemIf(!one.answer.body.includes('content policy'), 'the reason is not told'),
          ],
  },
  {
    name: 'a cut, and a fallback that takes no prefill',
    primary: always({ cut: { after: { words: 40 }, by: 'fin' } }),
    more: verified,
    judge: whole((one) =>
      problemIf(
        one.fallback.some(({ body }) => body.includes('"assistant"')),
        'the fallback was given a beginning',
      ),
    ),
  },
  {
    name: 'unavailable for a minute, then well',
    primary: { rules: [{ when: { until: '60s' }, do: { reply: { error: 'unavailable' } } }] },
    times: { count: 24, everyMs: 4_000 },
    judge: (results) => {
      const back = results.find((_, index) => index * 4 >= 60 && results[index]?.fallback.length === 0)
      const backAtMs = back === undefined ? Number.POSITIVE_INFINITY : results.indexOf(back) * 4_000
      return [
        ...results.flatMap((one) => problemsOfAnswer(one)),
        ...problemIf(backAtMs > 90_000, `the primary answered again after ${backAtMs} ms`),
      ]
    },
  },
  {
    name: 'the model and the usage of the fallback',
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
