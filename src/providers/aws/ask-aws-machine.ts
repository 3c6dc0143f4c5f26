import { reasonOf } from '../../kit/errors/reason-of.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { AuthorizerOptions, CredentialAnswer, CredentialRequest } from '../authorizer.ts'
import { type AwsCredentials, awsRefusal } from './aws-credentials.ts'

const INSTANCE_SERVICE = 'http://169.254.169.254'
const CONTAINER_SERVICE = 'http://169.254.170.2'
const TIMEOUT_MS = 2_000
const STS_TIMEOUT_MS = 10_000
/** The lifetime of the session token. Each request for a role gets a new token. */
const METADATA_TOKEN_SECONDS = '300'

/** Gets the credentials of a container's role. Undefined where the environment names no such service. */
export async function askAwsContainer(options: AuthorizerOptions): Promise<AwsCredentials | undefined> {
  const { variables, readText } = options
  const relative = variables['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI']
  const url =
    relative === undefined ? variables['AWS_CONTAINER_CREDENTIALS_FULL_URI'] : CONTAINER_SERVICE + relative
  if (url === undefined) return undefined
  const file = variables['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']
  const token =
    file === undefined ? variables['AWS_CONTAINER_AUTHORIZATION_TOKEN'] : (await readText(file))?.trim()
  const headers = token === undefined || token === '' ? {} : { authorization: token }
  const source = `The credentials of the container at ${new URL(url).origin}`
  const { body } = await ask(
    { method: 'GET', url, headers, allowPrivate: true, timeoutMs: TIMEOUT_MS },
    source,
    options,
  )
  return readAwsAnswer(body, source)
}

/**
 * Gets the credentials of an instance's role from the metadata service, which first issues a session token. Undefined
 * where there is no such service.
 */
export async function askAwsInstance(options: AuthorizerOptions): Promise<AwsCredentials | undefined> {
  const { variables } = options
  if (variables['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined
  const base = variables['AWS_EC2_METADATA_SERVICE_ENDPOINT']?.replace(/\/$/, '') ?? INSTANCE_SERVICE
  const common = { allowPrivate: true, timeoutMs: TIMEOUT_MS }
  const source = `The metadata service at ${base}`
  const tokenHeaders = { 'x-aws-ec2-metadata-token-ttl-seconds': METADATA_TOKEN_SECONDS }
  const url = `${base}/latest/api/token`
  const tokenAnswer = await options.fetch({ method: 'PUT', url, headers: tokenHeaders, ...common })
  // Most machines have no such service: the address refuses, or does not answer in time.
  if (tokenAnswer.type === 'unanswered' || tokenAnswer.status !== 200) return undefined
  const headers = { 'x-aws-ec2-metadata-token': tokenAnswer.body.trim() }
  const roles = `${base}/latest/meta-data/iam/security-credentials/`
  const role = await options.fetch({ method: 'GET', url: roles, headers, ...common })
  if (role.type === 'unanswered' || role.status !== 200) return undefined
  const [name = ''] = role.body.split('\n').map((line) => line.trim())
  if (name === '') return undefined
  const call = { method: 'GET', url: roles + encodeURIComponent(name), headers, ...common } as const
  const { body } = await ask(call, source, options)
  return readAwsAnswer(body, source)
}

/**
 * Gets the credentials of a role for a web identity token in a file, as Kubernetes provides it. Undefined where no file
 * is named.
 */
export async function askAwsWebIdentity(
  region: string,
  options: AuthorizerOptions,
): Promise<AwsCredentials | undefined> {
  const { variables, readText } = options
  const file = variables['AWS_WEB_IDENTITY_TOKEN_FILE']
  const role = variables['AWS_ROLE_ARN']
  if (file === undefined || role === undefined) return undefined
  const token = (await readText(file))?.trim() ?? ''
  if (token === '')
    throw awsRefusal(`The file ${file}, which was to hold a token for AWS, is not there or empty.`)
  options.onSecret(token)
  const source = `The token service of AWS in ${region}`
  const ending = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: variables['AWS_ROLE_SESSION_NAME'] ?? 'headgate',
    WebIdentityToken: token,
  }).toString()
  const url = variables['AWS_ENDPOINT_URL_STS'] ?? `https://sts.${region}.${ending}/`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const request = { method: 'POST', url, headers, body, timeoutMs: STS_TIMEOUT_MS } as const
  const isOwn = variables['AWS_ENDPOINT_URL_STS'] !== undefined
  const answer = await ask({ ...request, allowPrivate: isOwn }, source, options)
  return readAwsAnswer(answer.body, source)
}

async function ask(
  request: CredentialRequest,
  source: string,
  { fetch }: AuthorizerOptions,
): Promise<CredentialAnswer> {
  const answer = await fetch(request)
  if (answer.type === 'unanswered')
    throw awsRefusal(`${source} did not answer: ${reasonOf(answer.cause)}.`, answer.cause)
  if (answer.status === 200) return answer
  throw awsRefusal(`${source} answered with status ${answer.status} and no credentials.`)
}

/**
 * Reads credentials from a machine's service or from the token service. The two differ in the name of the token, and in
 * whether its expiry is a date or a number of seconds. Throws `upstream_credential`. `source` names the service in the
 * error's message.
 */
function readAwsAnswer(body: string, source: string): AwsCredentials {
  const found = findCredentials(parseObjectOrEmpty(body))
  const { AccessKeyId: id, SecretAccessKey: secret, Expiration: end } = found
  const token = found['Token'] ?? found['SessionToken']
  if (typeof id !== 'string' || typeof secret !== 'string' || id === '' || secret === '')
    throw awsRefusal(`${source} answered, and not with credentials for AWS.`)
  const expiresAtMs =
    typeof end === 'number' ? end * 1000 : typeof end === 'string' ? Date.parse(end) : Number.NaN
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    ...(typeof token === 'string' && token !== '' ? { sessionToken: token } : {}),
    ...(Number.isNaN(expiresAtMs) ? {} : { expiresAtMs }),
  }
}

/** Unwraps the credentials from two objects, which the token service names after the request. */
function findCredentials(body: JsonObject): JsonObject {
  if (body['AccessKeyId'] !== undefined) return body
  const inner = Object.values(body).find(isJsonObject)
  const within = inner === undefined ? undefined : Object.values(inner).find(isJsonObject)
  const named = within?.['Credentials']
  return isJsonObject(named) ? named : {}
}

function parseObjectOrEmpty(body: string): JsonObject {
  const value = tryParseJson(body)
  return isJsonObject(value) ? value : {}
}
