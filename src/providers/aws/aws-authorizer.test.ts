import { describe, expect, it } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts'
import type { AuthorizerOptions, CredentialAnswer, CredentialRequest } from '../authorizer.ts'
import { createAwsAuthorizer } from './aws-authorizer.ts'

interface World {
  readonly variables?: Readonly<Record<string, string>>
  /** The files by path. */
  readonly files?: Readonly<Record<string, string>>
  /** Undefined where no service answers. */
  answer?(request: CredentialRequest): CredentialAnswer | undefined
}

function open({ variables = {}, files = {}, answer }: World) {
  const clock = createFakeClock()
  const secrets: string[] = []
  const asked: CredentialRequest[] = []
  const options: AuthorizerOptions = {
    clock,
    variables,
    readText: async (path) => files[path],
    async fetch(request) {
      asked.push(request)
      const given = answer?.(request)
      return given ?? { type: 'unanswered', cause: new Error('nobody is there') }
    },
    onSecret: (secret) => void secrets.push(secret),
  }
  const authorizer = createAwsAuthorizer('bedrock', options)
  const authorize = (
    settings: Readonly<Record<string, string>> = {},
    baseUrl = 'https://bedrock-runtime.us-west-2.amazonaws.com',
  ) => {
    const channel = createChannel({ name: 'b', models: {}, provider: 'bedrock', baseUrl, settings })
    const request = {
      method: 'POST',
      origin: baseUrl,
      pathAndQuery: '/model/m/converse',
      headers: {},
      body: [],
    } as const
    return authorizer.authorize({ ...request, channel })
  }
  return { clock, secrets, asked, authorize, authorizer }
}

function keyOf(headers: Readonly<Record<string, string>>): string | undefined {
  return /Credential=([^,]+)\/\d{8}\//.exec(headers['authorization'] ?? '')?.[1]
}

const json = (value: unknown): CredentialAnswer => ({
  type: 'answered',
  status: 200,
  body: JSON.stringify(value),
})

const inAnHour = (clock: FakeClock) => new Date(clock.nowMs() + 3_600_000).toISOString()

describe('requests to AWS', () => {
  it('are signed with the keys and the region of the channel', async () => {
    const { authorize } = open({ variables: { AWS_ACCESS_KEY_ID: 'OTHER', AWS_SECRET_ACCESS_KEY: 'other' } })
    const headers = await authorize({
      access_key_id: 'OWN',
      secret_access_key: 'own-secret',
      session_token: 'own-session',
      region: 'eu-central-1',
    })
    expect(headers['authorization']).toMatch(/Credential=OWN\/\d{8}\/eu-central-1\/bedrock\/aws4_request/)
    expect(headers['x-amz-security-token']).toBe('own-session')
  })

  it('prefer the token of the Bedrock variable over any key of the machine', async () => {
    const variables = {
      AWS_BEARER_TOKEN_BEDROCK: 'token-1',
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 's',
    }
    const { authorize, secrets } = open({ variables })
    expect(await authorize()).toEqual({ authorization: 'Bearer token-1' })
    expect(secrets).toEqual(['token-1'])
  })

  it('send the credentials of the machine only to AWS, and those of the channel to any host', async () => {
    const variables = {
      AWS_BEARER_TOKEN_BEDROCK: 'token-1',
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 's',
    }
    const { authorize } = open({ variables })
    for (const origin of [
      'https://amazonaws.com.example.org',
      'http://x.amazonaws.com',
      'https://xamazonaws.com',
    ]) {
      await expect(authorize({}, origin)).rejects.toThrow(
        "the machine's own credentials for AWS go to AWS's hosts alone",
      )
      const own = { access_key_id: 'OWN', secret_access_key: 'own-secret' }
      expect(keyOf(await authorize(own, origin))).toBe('OWN')
    }
    const endpoint = 'https://vpce-1.bedrock-runtime.us-west-2.vpce.amazonaws.com'
    expect(await authorize({}, endpoint)).toEqual({ authorization: 'Bearer token-1' })
  })

  it('are signed with the keys of the environment, for the region of the address', async () => {
    const variables = {
      AWS_ACCESS_KEY_ID: 'ENV',
      AWS_SECRET_ACCESS_KEY: 'env-secret',
      AWS_SESSION_TOKEN: 'session',
    }
    const { authorize, secrets, asked } = open({ variables })
    const headers = await authorize()
    expect(headers['authorization']).toMatch(/Credential=ENV\/\d{8}\/us-west-2\//)
    expect(headers['x-amz-security-token']).toBe('session')
    expect(secrets).toEqual(['env-secret', 'session'])
    expect(asked).toEqual([])
  })

  it('are signed with the profile from the environment or the channel, from either shared file', async () => {
    const files = {
      '/home/me/.aws/credentials':
        '# keys\n[default]\naws_access_key_id = FIRST\naws_secret_access_key=one\r\n[work]\r\naws_access_key_id=SECOND\r\naws_secret_access_key = two = 2\r\n',
      '/home/me/.aws/config':
        '[default]\nregion=us-east-1\n[profile cfg]\naws_access_key_id=THIRD\naws_secret_access_key=three\n',
    }
    const home = { HOME: '/home/me' }
    expect(keyOf(await open({ files, variables: home }).authorize())).toBe('FIRST')
    expect(keyOf(await open({ files, variables: { ...home, AWS_PROFILE: 'work' } }).authorize())).toBe(
      'SECOND',
    )
    expect(keyOf(await open({ files, variables: home }).authorize({ profile: 'cfg' }))).toBe('THIRD')
    await expect(open({ files, variables: home }).authorize({ profile: 'none' })).rejects.toThrow(
      /profile "none"/,
    )
  })

  it('fail with an explanation if the profile needs another program', async () => {
    const files = { '/c': '[default]\ncredential_process = /bin/keys\n' }
    const variables = { AWS_CONFIG_FILE: '/c', AWS_SHARED_CREDENTIALS_FILE: '/none' }
    await expect(open({ files, variables }).authorize()).rejects.toThrow(/another program or a login/)
  })

  it('are signed with the role of the container, which is requested with its token', async () => {
    const { clock, authorize, asked } = open({
      variables: {
        AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/1',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/token',
      },
      files: { '/token': 'pass\n' },
      answer: () =>
        json({ AccessKeyId: 'ECS', SecretAccessKey: 's', Token: 't', Expiration: inAnHour(clock) }),
    })
    expect(keyOf(await authorize())).toBe('ECS')
    expect(asked.map(({ url, headers }) => [url, headers])).toEqual([
      ['http://169.254.170.2/v2/credentials/1', { authorization: 'pass' }],
    ])
  })

  it('are signed with the role of the instance, which is requested with a session token', async () => {
    const { clock, authorize, asked } = open({
      answer({ method, url, headers }) {
        if (method === 'PUT') return { type: 'answered', status: 200, body: 'imds-token' }
        if (headers?.['x-aws-ec2-metadata-token'] !== 'imds-token')
          return { type: 'answered', status: 401, body: '' }
        if (url.endsWith('/security-credentials/'))
          return { type: 'answered', status: 200, body: 'my-role\n' }
        const found = { AccessKeyId: 'EC2', SecretAccessKey: 's', Token: 't', Expiration: inAnHour(clock) }
        return url.endsWith('/my-role') ? json(found) : undefined
      },
    })
    expect(keyOf(await authorize())).toBe('EC2')
    expect(asked.every(({ allowPrivate }) => allowPrivate)).toBe(true)
  })

  it('are signed with the role of a Kubernetes token', async () => {
    const { authorize, asked, secrets } = open({
      variables: { AWS_WEB_IDENTITY_TOKEN_FILE: '/jwt', AWS_ROLE_ARN: 'arn:aws:iam::1:role/r' },
      files: { '/jwt': 'the.jwt' },
      answer: () =>
        json({
          AssumeRoleWithWebIdentityResponse: {
            AssumeRoleWithWebIdentityResult: {
              Credentials: { AccessKeyId: 'STS', SecretAccessKey: 's', SessionToken: 't', Expiration: 4e9 },
            },
          },
        }),
    })
    expect(keyOf(await authorize())).toBe('STS')
    expect(asked[0]?.url).toBe('https://sts.us-west-2.amazonaws.com/')
    expect(new URLSearchParams(asked[0]?.body).get('WebIdentityToken')).toBe('the.jwt')
    expect(secrets).toEqual(['the.jwt', 's', 't'])
  })

  it('fail without credentials and name the places that were searched', async () => {
    await expect(open({}).authorize()).rejects.toThrow(/no credentials for AWS.*api_key/)
    const broken = open({
      variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9/c' },
      answer: () => ({ type: 'answered', status: 500, body: 'oops' }),
    })
    await expect(broken.authorize()).rejects.toThrow(/127\.0\.0\.1:9 answered with status 500/)
  })
})

describe('temporary credentials', () => {
  function openExpiring() {
    let count = 0
    let isDown = false
    const world = open({
      variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9/c' },
      answer() {
        if (isDown) return undefined
        count += 1
        return json({ AccessKeyId: `K${count}`, SecretAccessKey: 's', Expiration: inAnHour(world.clock) })
      },
    })
    const setDown = (value: boolean) => {
      isDown = value
    }
    return { ...world, setDown }
  }

  it('are fetched once for concurrent calls, and again before they expire', async () => {
    const { authorize, asked, clock } = openExpiring()
    const together = await Promise.all([authorize(), authorize(), authorize()])
    expect(together.map(keyOf)).toEqual(['K1', 'K1', 'K1'])
    clock.advance(54 * 60_000)
    expect(keyOf(await authorize())).toBe('K1')
    clock.advance(2 * 60_000)
    expect(keyOf(await authorize())).toBe('K2')
    expect(asked.length).toBe(2)
  })

  it('are used until they expire if no new ones can be fetched, and not longer', async () => {
    const { authorize, clock, setDown } = openExpiring()
    await authorize()
    setDown(true)
    clock.advance(57 * 60_000)
    expect(keyOf(await authorize())).toBe('K1')
    clock.advance(4 * 60_000)
    await expect(authorize()).rejects.toThrow(/did not answer/)
    setDown(false)
    expect(keyOf(await authorize())).toBe('K2')
  })
})
