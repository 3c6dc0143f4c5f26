import fc from 'fast-check'
import { expect, it } from 'vitest'
import { receiverSchemas } from '../../../test/support/receiver-schemas.ts'
import { type AlertEvent, alertKinds, severities } from '../alert.ts'
import { type AlertReceiver, receiverSchema, receiverTypes } from './receiver-schema.ts'
import { writePost } from './write-post.ts'

const receivers: readonly AlertReceiver[] = receiverTypes.map((type) =>
  receiverSchema.parse({
    name: type,
    type,
    url: 'https://hooks.example.com/x',
    ...(type === 'pagerduty' && { routing_key: '0123456789abcdef0123456789abcdef' }),
  }),
)

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6_000 })
const events: fc.Arbitrary<AlertEvent> = fc.record({
  type: fc.constantFrom('opened', 'changed', 'repeated', 'resolved'),
  alert: fc.record({
    id: fc.constant('alr_1'),
    identity: text,
    kind: fc.constantFrom(...alertKinds),
    rule: fc.string({ minLength: 1, maxLength: 64 }),
    severity: fc.constantFrom(...severities),
    peakSeverity: fc.constantFrom(...severities),
    level: fc.constantFrom(1, 2, 100),
    subject: fc.record({
      channel: text,
      credential: text,
      model: text,
      key: text,
      budget: text,
      certificate: text,
    }),
    message: text,
    advice: fc.option(text, { nil: undefined }),
    details: fc.constant({}),
    openedAtMs: fc.constant(0),
    reportedAtMs: fc.constant(0),
    resolved: fc.option(
      fc.record({ atMs: fc.constant(1), as: fc.constant('recovered' as const), message: text }),
      { nil: undefined },
    ),
    acknowledged: fc.constant(undefined),
    mute: fc.constant(undefined),
  }),
})

it.each(receivers.map((receiver) => [receiver.type, receiver] as const))(
  'whatever an alert contains, %s accepts it',
  (type, receiver) => {
    fc.assert(
      fc.property(events, (event) => {
        const body: unknown = JSON.parse(
          writePost(event, receiver, { nowMs: 0, source: 'gateway.example.com' }),
        )
        expect(receiverSchemas[type].safeParse(body).error).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  },
)

it('text in an alert neither mentions users nor makes links', () => {
  const [first] = fc.sample(events, 1)
  if (first === undefined) throw new Error('no event')
  const event = {
    ...first,
    alert: { ...first.alert, resolved: undefined, message: '<!channel> @everyone [x](y)' },
  }
  const bodies = receivers.map((receiver) => writePost(event, receiver, { nowMs: 0, source: 's' }))
  expect(bodies[receiverTypes.indexOf('slack')]).toContain('&lt;!channel&gt;')
  expect(bodies[receiverTypes.indexOf('discord')]).toContain('"allowed_mentions":{"parse":[]}')
  expect(bodies[receiverTypes.indexOf('teams')]).toContain(String.raw`\\[x\\](y)`)
})
