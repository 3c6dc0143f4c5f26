import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { fieldsOf } from './judged.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

const KEY_ID = 'key-1'
const EMAIL = 'gate@some-project.iam.gserviceaccount.com'
export const scope = 'https://www.googleapis.com/auth/cloud-platform'
const USER = {
  client_id: 'client-1',
  client_secret: 'client-secret-1234',
  refresh_token: 'refresh-token-1234',
}

export interface TokenAnswer {
  readonly status: number
  readonly body: string
}

/**
 * Google's token service. It checks what it is asked with by Node's own cryptography, and knows which tokens are good.
 */
export interface FakeGoogle {
  /** The text of a service account's key file, for a token service at this address. */
  keyFile(tokenUrl: string): string
  /** Writes the file that `gcloud auth application-default login` leaves. */
  userFile(tokenUrl: string): string
  /** Answers a POST of the token service. */
  answerToken(form: string, tokenUrl: string): TokenAnswer
  /** Answers a GET of the metadata service. */
  answerMetadata(headers: Readonly<Record<string, unknown>>): TokenAnswer
  /** Whether a token of ours is in the header, and still good. */
  isGood(authorization: unknown): boolean
  /** Makes every token so far worth nothing. */
  revoke(): void
  readonly issued: readonly string[]
}

export function createFakeGoogle(nowMs: () => number, lifetimeSeconds = 3_600): FakeGoogle {
  const issued: string[] = []
  let good = new Map<string, number>()

  function issue(): TokenAnswer {
    const token = `ya29.token-${issued.length + 1}-of-this-test`
    issued.push(token)
    good.set(token, nowMs() + lifetimeSeconds * 1_000)
    return answer(200, { access_token: token, expires_in: lifetimeSeconds, token_type: 'Bearer' })
  }

  return {
    issued,
    keyFile: (tokenUrl) =>
      JSON.stringify({
        type: 'service_account',
        project_id: 'some-project',
        private_key_id: KEY_ID,
        private_key: privateKey,
        client_email: EMAIL,
        token_uri: tokenUrl,
      }),
    userFile: (tokenUrl) =>
      JSON.stringify({
        type: 'authorized_user',
        ...USER,
        quota_project_id: 'quota-project',
        token_uri: tokenUrl,
      }),
    answerToken(text, tokenUrl) {
      const form = Object.fromEntries(new URLSearchParams(text))
      if (form['grant_type'] === 'refresh_token') {
        const isKnown = Object.entries(USER).every(([name, value]) => form[name] === value)
        return isKnown ? issue() : answer(400, { error: 'invalid_grant', error_description: 'Bad Request' })
      }
      if (form['grant_type'] !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
        return answer(400, { error: 'unsupported_grant_type' })
      }
      const fault = findFault(form['assertion'] ?? '', tokenUrl, nowMs())
      return fault === undefined ? issue() : answer(400, { error: 'invalid_grant', error_description: fault })
    },
    answerMetadata: (headers) =>
      headers['metadata-flavor'] === 'Google' ? issue() : { status: 403, body: 'Missing Metadata-Flavor' },
    isGood(authorization) {
      const token = typeof authorization === 'string' ? authorization.replace(/^Bearer /, '') : ''
      return (good.get(token) ?? 0) > nowMs()
    },
    revoke() {
      good = new Map()
    },
  }
}

function answer(status: number, body: object): TokenAnswer {
  return { status, body: JSON.stringify(body) }
}

/** The fault of an assertion; undefined where there is none. */
function findFault(assertion: string, tokenUrl: string, nowMs: number): string | undefined {
  const [head = '', payload = '', signature = '', ...more] = assertion.split('.')
  const key = createPublicKey(publicKey)
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${payload}`),
    key,
    Buffer.from(signature, 'base64url'),
  )
  if (more.length > 0 || !isSigned) return 'Invalid JWT Signature.'
  const { alg, typ, kid } = decode(head)
  if (alg !== 'RS256' || typ !== 'JWT' || kid !== KEY_ID) return 'Invalid JWT header.'
  const claims = decode(payload)
  const { iat, exp } = claims
  const nowSeconds = nowMs / 1_000
  if (claims['iss'] !== EMAIL) return 'Invalid issuer.'
  if (claims['aud'] !== tokenUrl) return 'Invalid audience.'
  if (claims['scope'] !== scope) return 'Invalid scope.'
  if (typeof iat !== 'number' || typeof exp !== 'number' || exp - iat > 3_600) return 'Invalid lifetime.'
  return iat <= nowSeconds + 1 && exp > nowSeconds ? undefined : 'Token must be a short-lived token.'
}

function decode(part: string): Readonly<Record<string, unknown>> {
  return fieldsOf(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
}
