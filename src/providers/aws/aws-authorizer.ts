import { GatewayError } from '../../canonical/failure.ts'
import type { Channel } from '../../catalog/channel.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { Authorizer, AuthorizerOptions, Machine } from '../authorizer.ts'
import type { SettingFault } from '../provider.ts'
import { type ExpiringValue, type Refreshed, refreshAhead } from '../refresh-ahead.ts'
import { type AwsCredentials, awsRefusal } from './aws-credentials.ts'
import { findAwsCredentials, readNamedProfile } from './find-aws-credentials.ts'
import { signAwsRequest } from './sign-aws-request.ts'

/** The interval at which keys without an expiry are read again, since their file may change. */
const UNDATED_MS = 5 * MINUTE_MS

/**
 * Signs the calls of channels. The keys come from the channel, else from the token in Bedrock's own variable, else from
 * the machine.
 */
export function createAwsAuthorizer(service: string, options: AuthorizerOptions): Authorizer {
  const { clock, variables } = options
  const refreshed = new Map<string, Refreshed<AwsCredentials>>()

  async function fetchCredentials(channel: Channel): Promise<ExpiringValue<AwsCredentials>> {
    const source = { region: regionOf(channel), profile: channel.settings?.['profile'] }
    const value = await findAwsCredentials(source, options)
    for (const secret of [value.secretAccessKey, value.sessionToken])
      if (secret !== undefined) options.onSecret(secret)
    const { expiresAtMs } = value
    const lifetimeMs = expiresAtMs === undefined ? UNDATED_MS : expiresAtMs - clock.nowMs()
    return { value, lifetimeMs: Math.max(0, lifetimeMs) }
  }

  function refreshedFor(channel: Channel): Refreshed<AwsCredentials> {
    const name = `${channel.settings?.['profile'] ?? ''} ${regionOf(channel)}`
    const known = refreshed.get(name)
    if (known !== undefined) return known
    const made = refreshAhead(() => fetchCredentials(channel), clock)
    refreshed.set(name, made)
    return made
  }

  return {
    async authorize(request) {
      const { channel } = request
      const own = ownCredentials(channel)
      const token = own === undefined ? bearerTokenFor(channel, variables) : undefined
      if (token !== undefined) {
        options.onSecret(token)
        return { authorization: `Bearer ${token}` }
      }
      if (own === undefined && !isOfAws(channel)) throw awsRefusal(describeElsewhere(channel))
      const credentials = own ?? (await refreshedFor(channel).get())
      return signAwsRequest(request, credentials, {
        service,
        region: regionOf(channel),
        nowMs: clock.nowMs(),
      })
    },
    isRefusal: (status, headers) =>
      status === 403 && /^ExpiredToken/.test(String(headers['x-amzn-errortype'])),
    refused(channel) {
      if (ownCredentials(channel) === undefined) refreshedFor(channel).drop()
    },
  }
}

/** The token in Bedrock's own variable, where the channel names no profile of the machine. */
function bearerTokenFor(channel: Channel, variables: Machine['variables']): string | undefined {
  if (!isOfAws(channel) || channel.settings?.['profile'] !== undefined) return undefined
  return variables['AWS_BEARER_TOKEN_BEDROCK']?.trim() || undefined
}

/**
 * Whether the machine's own credentials may go to this address: to AWS, or where the operator allowed a private
 * network. Other channels must not get them, since any holder can use a token, and a signature contains the ID of the
 * key and a session's token.
 */
function isOfAws({ baseUrl, allowPrivate }: Channel): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  return (
    allowPrivate ||
    (protocol === 'https:' && /\.(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws)$/.test(hostname))
  )
}

function describeElsewhere({ name, baseUrl }: Channel): string {
  return `Channel "${name}": its base_url leads to ${new URL(baseUrl).hostname}, and the machine's own credentials for AWS go to AWS's hosts alone. Give access_key_id and secret_access_key under credentials, or api_key; or allow_private: true where the address is your own.`
}

function ownCredentials({ settings = {} }: Channel): AwsCredentials | undefined {
  const {
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    session_token: sessionToken,
  } = settings
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, sessionToken }
}

const REGION_IN_HOST = /^[a-z0-9-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\./
const FALLBACK_REGION = 'us-east-1'

/** The region from the channel's setting, else from its address. */
function regionOf({ settings, baseUrl }: Channel): string {
  const named = settings?.['region']
  if (named !== undefined) return named
  return REGION_IN_HOST.exec(new URL(baseUrl).hostname)?.[1] ?? FALLBACK_REGION
}

/** Finds why the machine's credentials could not sign any call of the channel. Sends nothing. */
export async function findAwsFault(channel: Channel, machine: Machine): Promise<SettingFault | undefined> {
  const { settings, credentials } = channel
  const { profile, access_key_id: keyId } = settings ?? {}
  // The channel's own keys override those of the machine.
  if (keyId !== undefined || credentials.length > 0) return undefined
  if (!isOfAws(channel)) return { name: 'access_key_id', message: describeElsewhere(channel) }
  if (profile === undefined) return undefined
  try {
    await readNamedProfile(profile, machine)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return { name: 'profile', message: error.message }
    const reason = reasonOf(error)
    return { name: 'profile', message: `the files of credentials for AWS cannot be read: ${reason}` }
  }
}
