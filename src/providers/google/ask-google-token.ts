import { reasonOf } from '../../kit/errors/reason-of.ts'
import { unreachable } from '../../kit/errors/unreachable.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { AuthorizerOptions, CredentialAnswer, CredentialRequest } from '../authorizer.ts'
import { type GoogleCredential, refusal } from './google-credential.ts'
import { signGoogleAssertion } from './sign-google-assertion.ts'

export interface GoogleToken {
  readonly value: string
  /** The lifetime from now, in milliseconds. */
  readonly lifetimeMs: number
}

const TIMEOUT_MS = 10_000
/** The timeout of the metadata service, which runs on the same machine. */
const METADATA_TIMEOUT_MS = 3_000
/** The lifetime where the service does not state one. */
const SHORT_LIFETIME_SECONDS = 60
const TOKEN = /^[\x21-\x7e]{1,16384}$/

/**
 * Requests a token for all of Google Cloud. Rejects with `upstream_credential`, which names the source of the
 * credentials and quotes Google's answer. `allowPrivate`: the token service may be on this machine or in a private
 * network.
 */
export async function askGoogleToken(
  credential: GoogleCredential,
  options: AuthorizerOptions,
  allowPrivate: boolean,
): Promise<GoogleToken> {
  const request = await writeRequest(credential, options, allowPrivate)
  const answer = await fetchAnswer(request, credential, options)
  const fields = readFields(answer)
  const { access_token: value, expires_in: seconds } = fields
  if (answer.status === 200 && typeof value === 'string' && TOKEN.test(value)) {
    options.onSecret(value)
    const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds : SHORT_LIFETIME_SECONDS
    return { value, lifetimeMs: lifetime * 1_000 }
  }
  throw refusal(
    `Google gave no token for the credentials in ${credential.source} (status ${answer.status}${describe(fields)}). Check that they are good, and that the account may use Vertex AI.`,
  )
}

async function writeRequest(
  credential: GoogleCredential,
  options: AuthorizerOptions,
  allowPrivate: boolean,
): Promise<CredentialRequest> {
  switch (credential.type) {
    case 'metadata':
      return {
        method: 'GET',
        url: `http://${credential.host}/computeMetadata/v1/instance/service-accounts/default/token`,
        headers: { 'metadata-flavor': 'Google' },
        allowPrivate: true,
        timeoutMs: METADATA_TIMEOUT_MS,
      }
    case 'service-account': {
      options.onSecret(credential.privateKey)
      const assertion = await signGoogleAssertion(credential, options.clock.nowMs())
      options.onSecret(assertion)
      const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
      return writePost(credential.tokenUrl, form, allowPrivate)
    }
    case 'user': {
      const { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token } = credential
      options.onSecret(client_secret)
      options.onSecret(refresh_token)
      const form = { grant_type: 'refresh_token', client_id, client_secret, refresh_token }
      return writePost(credential.tokenUrl, form, allowPrivate)
    }
    default:
      return unreachable(credential)
  }
}

function writePost(
  url: string,
  form: Readonly<Record<string, string>>,
  allowPrivate: boolean,
): CredentialRequest {
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
    allowPrivate,
    timeoutMs: TIMEOUT_MS,
  }
}

async function fetchAnswer(
  request: CredentialRequest,
  { source }: GoogleCredential,
  options: AuthorizerOptions,
): Promise<CredentialAnswer> {
  const answer = await options.fetch(request)
  if (answer.type === 'answered') return answer
  const { cause } = answer
  const where = source.startsWith('the metadata') ? `${source}, where nothing else was found` : source
  throw refusal(
    `No token could be got for Google's credentials from ${where} (${reasonOf(cause)}). Name a "service_account_file", or give this machine credentials of its own.`,
    cause,
  )
}

function readFields({ body }: CredentialAnswer): JsonObject {
  const value = tryParseJson(body)
  return isJsonObject(value) ? value : {}
}

/** Google's own message, truncated. */
function describe({ error, error_description: description }: JsonObject): string {
  const words = [error, description].filter((word) => typeof word === 'string' && word !== '')
  return words.length === 0 ? '' : `: ${words.join(', ').slice(0, 300)}`
}
