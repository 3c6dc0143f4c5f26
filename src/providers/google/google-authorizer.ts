import { GatewayError } from '../../canonical/failure.ts'
import type { Channel } from '../../catalog/channel.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { AuthorizationRequest, Authorizer, AuthorizerOptions, Machine } from '../authorizer.ts'
import type { SettingFault } from '../provider.ts'
import { askGoogleToken } from './ask-google-token.ts'
import { findGoogleCredential, type GoogleCredential } from './google-credential.ts'
import { signGoogleAssertion } from './sign-google-assertion.ts'

/**
 * The time before a token's expiry at which a new one is fetched, so that no call is in flight when the old one
 * expires.
 */
const REFRESH_EARLY_MS = 5 * MINUTE_MS

interface HeldToken {
  readonly value: string
  readonly credential: GoogleCredential
  /** The time of the refresh by `Clock.monotonicMs`. */
  readonly refreshAtMs: number
  readonly expiresAtMs: number
}

interface CredentialSource {
  held: HeldToken | undefined
  /** The fetch in flight, which every call waits for. */
  fetching: Promise<HeldToken> | undefined
}

/**
 * Issues tokens for Google Cloud: one for each credentials file that channels name, and one for the machine's own
 * account.
 */
export function createGoogleAuthorizer(options: AuthorizerOptions): Authorizer {
  return new GoogleAuthorizer(options)
}

class GoogleAuthorizer implements Authorizer {
  readonly #options: AuthorizerOptions
  readonly #sources = new Map<string, CredentialSource>()

  constructor(options: AuthorizerOptions) {
    this.#options = options
  }

  async authorize(request: AuthorizationRequest) {
    refuseStrangers(request)
    const source = this.#sourceOf(request.channel)
    const { held } = source
    const isGood = held !== undefined && held.refreshAtMs > this.#options.clock.monotonicMs()
    return headersOf(isGood ? held : await this.#refresh(source, request))
  }

  refused(channel: AuthorizationRequest['channel'], headers: Readonly<Record<string, string>>): void {
    const source = this.#sourceOf(channel)
    if (source.held === undefined || headers['authorization'] !== `Bearer ${source.held.value}`) return
    source.held = undefined
  }

  #sourceOf({ settings }: AuthorizationRequest['channel']): CredentialSource {
    const name = settings?.['service_account_file'] ?? ''
    const known = this.#sources.get(name)
    if (known !== undefined) return known
    const source: CredentialSource = { held: undefined, fetching: undefined }
    this.#sources.set(name, source)
    return source
  }

  async #refresh(source: CredentialSource, request: AuthorizationRequest): Promise<HeldToken> {
    source.fetching ??= this.#fetchToken(request).finally(() => {
      source.fetching = undefined
    })
    const { held } = source
    try {
      const fetched = await source.fetching
      source.held = fetched
      return fetched
    } catch (error) {
      const isGood = held !== undefined && held.expiresAtMs > this.#options.clock.monotonicMs()
      // A new token is not available now. The old one is still valid for a while.
      if (isGood && error instanceof GatewayError) return held
      throw error
    }
  }

  async #fetchToken({ channel }: AuthorizationRequest): Promise<HeldToken> {
    const credential = await findGoogleCredential(channel.settings?.['service_account_file'], this.#options)
    const { value, lifetimeMs } = await askGoogleToken(credential, this.#options, channel.allowPrivate)
    const expiresAtMs = this.#options.clock.monotonicMs() + lifetimeMs
    return {
      value,
      credential,
      expiresAtMs,
      refreshAtMs: expiresAtMs - Math.min(REFRESH_EARLY_MS, lifetimeMs / 2),
    }
  }
}

/**
 * Refuses to send a token to a foreign address, since any holder can use it. The machine's own token goes only to
 * Google, or where the operator allowed a private network. The token of a file goes to the address of the channel that
 * names the file.
 */
function refuseStrangers({ channel, origin }: AuthorizationRequest): void {
  if (channel.settings?.['service_account_file'] !== undefined || channel.allowPrivate) return
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'https:' && hostname.endsWith('.googleapis.com')) return
  throw new GatewayError('upstream_credential', {
    message: `Channel "${channel.name}": its base_url leads to ${hostname}, and the machine's own token goes to googleapis.com alone. Give credentials: { service_account_file: … } for an address that is not Google's.`,
  })
}

function headersOf({ value, credential }: HeldToken): Readonly<Record<string, string>> {
  const project = credential.type === 'user' ? credential.quotaProject : undefined
  return {
    authorization: `Bearer ${value}`,
    ...(project === undefined ? {} : { 'x-goog-user-project': project }),
  }
}

const FILE_SETTING = 'service_account_file'

/** Finds why the file that the channel names could not authorize any call. Sends nothing. */
export async function findGoogleFault(
  { settings }: Channel,
  machine: Machine,
): Promise<SettingFault | undefined> {
  const file = settings?.[FILE_SETTING]
  if (file === undefined) return undefined
  try {
    const credential = await findGoogleCredential(file, machine)
    if (credential.type === 'service-account') await signGoogleAssertion(credential, 0)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return { name: FILE_SETTING, message: error.message }
    throw error
  }
}
