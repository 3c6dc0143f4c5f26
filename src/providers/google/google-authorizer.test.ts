import { describe, expect, it, test } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createFakeGoogle } from '../../../test/support/fake-google.ts'
import { refusalOf } from '../../../test/support/open-gateway.ts'
import type { CredentialAnswer, CredentialRequest } from '../authorizer.ts'
import { createGoogleAuthorizer } from './google-authorizer.ts'

const TOKEN_URL = 'https://oauth2.example/token'
const GOOGLE = 'https://aiplatform.googleapis.com'
const MINUTE_MS = 60_000

interface Machine {
  readonly files?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  /** Instead of Google's own answers; undefined where the service cannot be reached. */
  readonly answer?: (request: CredentialRequest) => Omit<CredentialAnswer, 'type'> | undefined
}

/** An authoriser on a machine that has these files and variables, before a token service of our own. */
function open({ files = {}, variables = {}, answer }: Machine) {
  const clock = createFakeClock()
  const google = createFakeGoogle(() => clock.nowMs())
  const answerAsGoogle = ({ method, url, headers = {}, body = '' }: CredentialRequest) =>
    method === 'GET' ? google.answerMetadata(headers) : google.answerToken(body, url)
  const asked: CredentialRequest[] = []
  const secrets: string[] = []
  const authorizer = createGoogleAuthorizer({
    clock,
    variables,
    readText: (path) => Promise.resolve(files[path]),
    async fetch(request) {
      asked.push(request)
      const given = answer === undefined ? answerAsGoogle(request) : answer(request)
      return given === undefined
        ? { type: 'unanswered', cause: new Error('no way there') }
        : { type: 'answered', ...given }
    },
    onSecret: (secret) => secrets.push(secret),
  })
  const authorize = (settings?: Readonly<Record<string, string>>, origin = GOOGLE) =>
    authorizer.authorize({
      channel: { ...createChannel({ name: 'v', models: {} }), settings },
      method: 'POST',
      origin,
      pathAndQuery: '/',
      headers: {},
      body: [],
    })
  return { clock, google, asked, secrets, authorizer, authorize }
}

const own = { service_account_file: '/keys/own.json' }

function withOwnKey() {
  const { google } = open({})
  return open({ files: { '/keys/own.json': google.keyFile(TOKEN_URL) } })
}

test('a service account key signs the token request, and its token and assertion are redacted', async () => {
  const machine = withOwnKey()
  const { authorization } = await machine.authorize(own)
  expect(machine.google.isGood(authorization)).toBe(true)
  expect(machine.asked).toMatchObject([{ method: 'POST', url: TOKEN_URL }])
  expect(machine.secrets).toContain(machine.google.issued[0])
  const assertion = new URLSearchParams(machine.asked[0]?.body).get('assertion')
  expect(machine.secrets).toContain(assertion)
})

test.each(['https://googleapis.com.example.org', 'http://x.googleapis.com', 'https://xgoogleapis.com'])(
  'the token of the machine is not sent to %s, but the token of a channel file is',
  async (origin) => {
    const machine = withOwnKey()
    expect(await refusalOf(machine.authorize(undefined, origin))).toMatchObject({
      failure: { code: 'upstream_credential' },
    })
    expect(machine.asked).toEqual([])
    const { authorization } = await machine.authorize(own, origin)
    expect(machine.google.isGood(authorization)).toBe(true)
  },
)

test('a token is used until shortly before it expires', async () => {
  const machine = withOwnKey()
  const first = await machine.authorize(own)
  machine.clock.advance(54 * MINUTE_MS)
  expect(await machine.authorize(own)).toEqual(first)
  machine.clock.advance(2 * MINUTE_MS)
  const second = await machine.authorize(own)
  expect(second).not.toEqual(first)
  expect(machine.google.isGood(second['authorization'])).toBe(true)
  expect(machine.asked).toHaveLength(2)
})

test('concurrent calls wait for one fetch', async () => {
  const machine = withOwnKey()
  const all = await Promise.all(Array.from({ length: 20 }, () => machine.authorize(own)))
  expect(new Set(all.map(({ authorization }) => authorization)).size).toBe(1)
  expect(machine.asked).toHaveLength(1)
})

test('a refused token is not used again, and a late refusal of an older token changes nothing', async () => {
  const machine = withOwnKey()
  const channel = { ...createChannel({ name: 'v', models: {} }), settings: own }
  const first = await machine.authorize(own)
  machine.authorizer.refused?.(channel, first)
  const second = await machine.authorize(own)
  expect(second).not.toEqual(first)
  machine.authorizer.refused?.(channel, first)
  expect(await machine.authorize(own)).toEqual(second)
  expect(machine.asked).toHaveLength(2)
})

test('a valid token is used while no new one can be fetched', async () => {
  let isDown = false
  const { google } = open({})
  const machine = open({
    files: { '/keys/own.json': google.keyFile(TOKEN_URL) },
    answer: ({ body = '', url }) => (isDown ? undefined : machine.google.answerToken(body, url)),
  })
  const first = await machine.authorize(own)
  isDown = true
  machine.clock.advance(57 * MINUTE_MS)
  expect(await machine.authorize(own)).toEqual(first)
  machine.clock.advance(5 * MINUTE_MS)
  expect(await refusalOf(machine.authorize(own))).toMatchObject({
    failure: { code: 'upstream_credential', message: expect.stringContaining('/keys/own.json') },
  })
})

describe('a channel without its own credentials file uses', () => {
  const google = createFakeGoogle(() => 0)
  const elsewhere = { '/adc.json': google.keyFile(TOKEN_URL) }
  const login = { '/home/me/.config/gcloud/application_default_credentials.json': google.userFile(TOKEN_URL) }

  it('the file that the environment variable names, before all others', async () => {
    const variables = { GOOGLE_APPLICATION_CREDENTIALS: '/adc.json', HOME: '/home/me' }
    const machine = open({ files: { ...elsewhere, ...login }, variables })
    expect(await machine.authorize()).not.toHaveProperty('x-goog-user-project')
    expect(machine.asked[0]?.body).toContain('jwt-bearer')
  })

  it('the login of a user, with its quota project', async () => {
    const machine = open({ files: login, variables: { HOME: '/home/me' } })
    const headers = await machine.authorize()
    expect(headers).toMatchObject({ 'x-goog-user-project': 'quota-project' })
    expect(machine.google.isGood(headers['authorization'])).toBe(true)
    expect(machine.secrets).toEqual(expect.arrayContaining(['client-secret-1234', 'refresh-token-1234']))
  })

  it('the login in the configured gcloud folder', async () => {
    const [file = ''] = Object.values(login)
    const files = { '/cloud/application_default_credentials.json': file }
    const machine = open({ files, variables: { HOME: '/home/me', CLOUDSDK_CONFIG: '/cloud' } })
    expect(machine.google.isGood((await machine.authorize())['authorization'])).toBe(true)
  })

  it('the attached service account', async () => {
    const machine = open({ variables: { HOME: '/home/me' } })
    expect(machine.google.isGood((await machine.authorize())['authorization'])).toBe(true)
    expect(machine.asked).toMatchObject([
      {
        method: 'GET',
        url: 'http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token',
        allowPrivate: true,
      },
    ])
  })

  it('a separate token for each file', async () => {
    const { google: issuer } = open({})
    const machine = open({ files: { '/keys/own.json': issuer.keyFile(TOKEN_URL) }, variables: {} })
    const [one, other] = [await machine.authorize(own), await machine.authorize()]
    expect(one).not.toEqual(other)
  })
})

describe('unusable credentials are reported with their place', () => {
  const key = createFakeGoogle(() => 0).keyFile(TOKEN_URL)
  it.each([
    ['no file', {}, /There is no file \/keys\/own\.json/],
    ['no JSON', { '/keys/own.json': 'key' }, /\/keys\/own\.json.* is not JSON/],
    ['a list', { '/keys/own.json': '[]' }, /holds no credentials/],
    ['another type', { '/keys/own.json': '{"type":"external_account"}' }, /"external_account"; use a key/],
    [
      'no key',
      { '/keys/own.json': '{"type":"service_account","client_email":"a"}' },
      /have no "private_key"/,
    ],
    [
      'a broken key',
      { '/keys/own.json': key.replace('BEGIN PRIVATE', 'BEGIN PUBLIC') },
      /private key in \/keys\/own\.json cannot be used/,
    ],
  ])('%s', async (_name, files, words) => {
    const refused = await refusalOf(open({ files }).authorize(own))
    expect(refused).toMatchObject({ failure: { code: 'upstream_credential' } })
    expect(String(refused)).toMatch(words)
  })

  it('a refusal by Google is reported in its words', async () => {
    const body = '{"error":"invalid_grant","error_description":"Account not found"}'
    const answer = () => ({ status: 400, body })
    const machine = open({ files: { '/keys/own.json': key }, answer })
    expect(String(await refusalOf(machine.authorize(own)))).toMatch(
      /status 400: invalid_grant, Account not found/,
    )
  })

  it.each(['', '[]', '{}', '{"access_token":7}', '{"access_token":"two words"}'])(
    'an invalid token response is refused: %j',
    async (body) => {
      const machine = open({
        files: { '/keys/own.json': key },
        answer: () => ({ status: 200, body }),
      })
      expect(await refusalOf(machine.authorize(own))).toMatchObject({
        failure: { code: 'upstream_credential' },
      })
    },
  )
})
