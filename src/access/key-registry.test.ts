import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { openTerms } from '../../test/support/key-terms.ts'
import { GatewayError } from '../canonical/failure.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { CredentialSource } from './authenticator.ts'
import type { KeyTerms } from './key.ts'
import { createKeyRegistry } from './key-registry.ts'
import { KeyUses } from './key-uses.ts'
import { makeKey } from './make-key.ts'
import { makeSecret } from './make-secret.ts'

/** All that is asked here comes on it, so that whatever was asked before must not count. */
const connection = {}
const pepper = createSecretKey(Buffer.alloc(32, 7))
const clock = createFakeClock()
const maker = { pepper, clock, random: systemRandom }

function makeTestKey(terms: Partial<KeyTerms> = {}, secret = makeSecret(systemRandom)) {
  return {
    secret,
    key: makeKey({ terms: { ...openTerms, ...terms }, secret, hint: '', origin: 'made' }, maker),
  }
}

function source(
  headers: CredentialSource['headers'],
  more: Partial<CredentialSource> = {},
): CredentialSource {
  return { headers, queryKey: undefined, address: '192.0.2.1', connection, ...more }
}

function outcome(run: () => { keyName: string }): string {
  try {
    return run().keyName
  } catch (error) {
    return error instanceof GatewayError ? error.failure.code : `other: ${String(error)}`
  }
}

const first = makeTestKey({ name: 'first' })
const second = makeTestKey({ name: 'second' })
const registry = createKeyRegistry({ keys: [first.key, second.key], pepper, clock })

describe('the places of a key in a request', () => {
  test.each<[string, CredentialSource]>([
    ['Authorization: Bearer', source({ authorization: `Bearer ${first.secret}` })],
    ['Authorization in any letter case', source({ authorization: `bEARER   ${first.secret} ` })],
    ['Authorization without a scheme', source({ authorization: first.secret })],
    ['x-api-key', source({ 'x-api-key': first.secret })],
    ['x-goog-api-key', source({ 'x-goog-api-key': first.secret })],
    ['?key=', source({}, { queryKey: first.secret })],
    ['a header sent twice, as a list', source({ 'x-api-key': ['junk', first.secret] })],
    ['a header sent twice, joined', source({ authorization: `Bearer junk, Bearer ${first.secret}` })],
    [
      'beside a key of another service',
      source({ authorization: 'Bearer sk-other', 'x-api-key': first.secret }),
    ],
    ['twice the same', source({ authorization: `Bearer ${first.secret}`, 'x-api-key': first.secret })],
  ])('%s', (_place, credentials) => {
    expect(outcome(() => registry.authenticate(credentials))).toBe('first')
  })

  test.each<[string, CredentialSource]>([
    ['no header', source({})],
    ['empty headers', source({ authorization: '', 'x-api-key': '  ', 'x-goog-api-key': [] })],
    ['a scheme without a key', source({ authorization: 'Bearer ' })],
    ['an empty ?key=', source({}, { queryKey: '' })],
  ])('%s is a missing key', (_place, credentials) => {
    expect(outcome(() => registry.authenticate(credentials))).toBe('missing_api_key')
  })

  test('two different valid keys in one request are refused, wherever they are sent', () => {
    const both = source({ 'x-goog-api-key': second.secret }, { queryKey: first.secret })
    expect(outcome(() => registry.authenticate(both))).toBe('conflicting_api_keys')
  })
})

type Offer = 'first' | 'second' | 'junk' | 'absent'
const secrets = {
  first: first.secret,
  second: second.secret,
  junk: 'sk-not-a-key-of-ours',
  absent: undefined,
}

const offer = fc.constantFrom<Offer>('first', 'second', 'junk', 'absent')
const offers = fc.tuple(offer, offer, offer, offer)
const scheme = fc.constantFrom('', 'Bearer ', 'bearer ', 'BEARER  ')

test('the result depends on the set of offered keys, not on their places or spelling', () => {
  fc.assert(
    fc.property(
      offers,
      scheme,
      fc.boolean(),
      ([inBearer, inApiKey, inGoogle, inQuery], prefix, isOnNewConnection) => {
        const bearer = secrets[inBearer]
        const answer = outcome(() =>
          registry.authenticate(
            source(
              {
                authorization: bearer === undefined ? undefined : `${prefix}${bearer}`,
                'x-api-key': secrets[inApiKey],
                'x-goog-api-key': secrets[inGoogle],
              },
              { queryKey: secrets[inQuery], ...(isOnNewConnection && { connection: {} }) },
            ),
          ),
        )
        expect(answer).toBe(expectedAnswer(new Set([inBearer, inApiKey, inGoogle, inQuery])))
      },
    ),
  )
})

function expectedAnswer(offers: ReadonlySet<Offer>): string {
  if (offers.has('first') && offers.has('second')) return 'conflicting_api_keys'
  if (offers.has('first')) return 'first'
  if (offers.has('second')) return 'second'
  return offers.has('junk') ? 'invalid_api_key' : 'missing_api_key'
}

test('any header bytes lead to a caller or to a documented error', () => {
  const header = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.string()), fc.constant(undefined))
  fc.assert(
    fc.property(header, header, (authorization, apiKey) => {
      const answer = outcome(() => registry.authenticate(source({ authorization, 'x-api-key': apiKey })))
      expect(['missing_api_key', 'invalid_api_key']).toContain(answer)
    }),
  )
})

describe('the validity of a key', () => {
  test('a revoked key fails on the very next request', () => {
    const { key, secret } = makeTestKey()
    const keys = createKeyRegistry({ keys: [key], pepper, clock })
    const credentials = source({ 'x-api-key': secret })
    expect(outcome(() => keys.authenticate(credentials))).toBe('ci')
    keys.put({ ...key, revokedAtMs: clock.nowMs() })
    expect(outcome(() => keys.authenticate(credentials))).toBe('invalid_api_key')
  })

  test('a disabled key fails until it is enabled again', () => {
    const { key, secret } = makeTestKey()
    const keys = createKeyRegistry({ keys: [{ ...key, disabled: true }], pepper, clock })
    const credentials = source({ 'x-api-key': secret })
    expect(outcome(() => keys.authenticate(credentials))).toBe('invalid_api_key')
    keys.put({ ...key, disabled: false })
    expect(outcome(() => keys.authenticate(credentials))).toBe('ci')
  })

  test('a key expires at its expiry time', () => {
    const { key, secret } = makeTestKey({ expiresAtMs: clock.nowMs() + 10 })
    const keys = createKeyRegistry({ keys: [key], pepper, clock })
    const credentials = source({ 'x-api-key': secret })
    clock.advance(9)
    expect(outcome(() => keys.authenticate(credentials))).toBe('ci')
    clock.advance(1)
    expect(outcome(() => keys.authenticate(credentials))).toBe('invalid_api_key')
  })

  test('a key that is created at runtime works at once, even if its secret was refused before', () => {
    const { key, secret } = makeTestKey()
    const keys = createKeyRegistry({ keys: [], pepper, clock })
    const credentials = source({ 'x-api-key': secret })
    expect(outcome(() => keys.authenticate(credentials))).toBe('invalid_api_key')
    keys.put(key)
    expect(outcome(() => keys.authenticate(credentials))).toBe('ci')
  })

  test.each([
    ['10.1.2.3', 'ci'],
    ['::ffff:10.1.2.3', 'ci'],
    ['::ffff:a01:203', 'ci'],
    ['2001:db8::5', 'ci'],
    ['11.0.0.1', 'ip_not_allowed'],
    ['2001:db9::5', 'ip_not_allowed'],
    ['unknown', 'ip_not_allowed'],
    ['', 'ip_not_allowed'],
    ['10.1.2.3, 10.1.2.4', 'ip_not_allowed'],
  ])('from address "%s" a key for two networks resolves to %s', (address, answer) => {
    const { key, secret } = makeTestKey({ allowIps: ['10.0.0.0/8', '2001:db8::/32'] })
    const keys = createKeyRegistry({ keys: [key], pepper, clock })
    expect(outcome(() => keys.authenticate(source({ 'x-api-key': secret }, { address })))).toBe(answer)
  })

  test('a damaged IP allow-list refuses every address', () => {
    const { key, secret } = makeTestKey({ allowIps: ['10.0.0.0/99'] })
    const keys = createKeyRegistry({ keys: [key], pepper, clock })
    expect(outcome(() => keys.authenticate(source({ 'x-api-key': secret })))).toBe('ip_not_allowed')
  })

  test('unknown, mistyped, revoked, disabled and expired keys get the same answer, and only the logged cause differs', () => {
    const revoked = makeTestKey()
    const disabled = makeTestKey()
    const expired = makeTestKey({ expiresAtMs: 1 })
    const keys = createKeyRegistry({
      keys: [{ ...revoked.key, revokedAtMs: 1 }, { ...disabled.key, disabled: true }, expired.key],
      pepper,
      clock,
    })
    const tried = [
      makeSecret(systemRandom),
      `${revoked.secret}x`,
      revoked.secret,
      disabled.secret,
      expired.secret,
    ]
    const errors = tried.map((secret) => refusalOf(() => keys.authenticate(source({ 'x-api-key': secret }))))
    const answers = errors.map(({ failure: { logCause: _cause, ...answer } }) => JSON.stringify(answer))
    expect(new Set(answers).size).toBe(1)
    expect(errors.map(({ failure }) => failure.logCause)).toEqual([
      'the key is unknown',
      'the key is mistyped or cut off: its checksum does not fit',
      'key "ci" is revoked',
      'key "ci" is disabled',
      'key "ci" has expired',
    ])
  })

  test('a custom secret may look like a generated secret or contain a comma', () => {
    for (const secret of ['sk-hg-chosen-by-an-operator', 'chosen, with a comma']) {
      const { key } = makeTestKey({}, secret)
      const keys = createKeyRegistry({ keys: [key], pepper, clock })
      expect(outcome(() => keys.authenticate(source({ authorization: `Bearer ${secret}` })))).toBe('ci')
    }
  })
})

function refusalOf(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a rotated key', () => {
  const [first, second] = [makeSecret(systemRandom), makeSecret(systemRandom)]
  const { key } = makeTestKey({}, first)
  const { digest } = makeTestKey({}, second).key
  const rotatedAtMs = 5_000
  const validUntilMs = rotatedAtMs + 1_000
  const rotated = { ...key, digest, previous: { digest: key.digest, validUntilMs } }

  function open() {
    const ownClock = createFakeClock(rotatedAtMs)
    const registry = createKeyRegistry({ keys: [key], pepper, clock: ownClock })
    const use = (headers: CredentialSource['headers']) =>
      outcome(() => registry.authenticate(source(headers)))
    return { registry, clock: ownClock, use }
  }

  test('accepts both secrets until the overlap ends, then only the new one', () => {
    const { registry, clock: ownClock, use } = open()
    expect([use({ 'x-api-key': first }), use({ 'x-api-key': second })]).toEqual(['ci', 'invalid_api_key'])
    registry.put(rotated)
    expect([use({ 'x-api-key': first }), use({ 'x-api-key': second })]).toEqual(['ci', 'ci'])
    ownClock.advance(999)
    expect(use({ 'x-api-key': first })).toBe('ci')
    ownClock.advance(1)
    expect([use({ 'x-api-key': first }), use({ 'x-api-key': second })]).toEqual(['invalid_api_key', 'ci'])
  })

  test('is one key, so both secrets in one request do not conflict', () => {
    const { registry, use } = open()
    registry.put(rotated)
    expect(use({ 'x-api-key': first, authorization: `Bearer ${second}` })).toBe('ci')
    const callers = [first, second].map((each) => registry.authenticate(source({ 'x-api-key': each })))
    expect(callers[0]).toBe(callers[1])
    expect(registry.keys()).toEqual([rotated])
  })

  test('is refused with both secrets once it is revoked', () => {
    const { registry, use } = open()
    registry.put(rotated)
    registry.put({ ...rotated, revokedAtMs: rotatedAtMs })
    expect([use({ 'x-api-key': first }), use({ 'x-api-key': second })]).toEqual([
      'invalid_api_key',
      'invalid_api_key',
    ])
  })

  test('forgets a secret that a second rotation replaces', () => {
    const { registry, use } = open()
    const third = makeSecret(systemRandom)
    registry.put(rotated)
    registry.put({
      ...rotated,
      digest: makeTestKey({}, third).key.digest,
      previous: { digest, validUntilMs },
    })
    expect([first, second, third].map((each) => use({ 'x-api-key': each }))).toEqual([
      'invalid_api_key',
      'ci',
      'ci',
    ])
  })

  test('does not take over a secret that now belongs to another key', () => {
    const { registry, use } = open()
    const other = makeTestKey({ name: 'other' }, first).key
    registry.put({ ...rotated })
    registry.put(other)
    registry.put({ ...rotated, disabled: false })
    expect(use({ 'x-api-key': first })).toBe('other')
  })
})

describe('the last use of a key', () => {
  test('is recorded to the minute and handed over once for saving', () => {
    const ownClock = createFakeClock(1_000_000)
    const { key, secret } = makeTestKey()
    const { key: unused } = makeTestKey({ name: 'unused' })
    const registry = createKeyRegistry({ keys: [key, unused], pepper, clock: ownClock })
    const handed: unknown[] = []
    registry.uses.watch(() => handed.push([...registry.uses.drainUnsaved()]))
    const use = () => registry.authenticate(source({ 'x-api-key': secret }))
    use()
    ownClock.advance(59_999)
    use()
    ownClock.advance(1)
    use()
    expect(handed).toEqual([[[key.id, 1_000_000]], [[key.id, 1_060_000]]])
    expect(registry.uses.lastMs(unused.id)).toBe(undefined)
  })

  test('does not change when a request is refused', () => {
    const { key, secret } = makeTestKey({ allowIps: ['10.0.0.0/8'] })
    const registry = createKeyRegistry({ keys: [key], pepper, clock })
    expect(outcome(() => registry.authenticate(source({ 'x-api-key': secret })))).toBe('ip_not_allowed')
    expect(registry.uses.lastMs(key.id)).toBe(undefined)
  })

  test('is handed over again if it could not be saved, unless a later use is known', () => {
    const uses = new KeyUses()
    const [one, two] = [makeTestKey().key.id, makeTestKey().key.id]
    uses.record(one, 100_000)
    uses.record(two, 100_000)
    const failed = uses.drainUnsaved()
    uses.record(two, 200_000)
    uses.giveBack(failed)
    expect(uses.drainUnsaved()).toEqual(
      new Map([
        [one, 100_000],
        [two, 200_000],
      ]),
    )
    expect(uses.drainUnsaved().size).toBe(0)
  })
})
