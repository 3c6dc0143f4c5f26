import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client'
import type {
  AuthorizationAnswer,
  AuthorizationParameters,
  IdentityProvider,
  ProvenIdentity,
} from '../access/sign-on/identity-provider.ts'
import { type Claims, findClaim } from '../access/sign-on/read-claims.ts'
import type { OidcPolicy } from '../access/sign-on/sign-in-policy.ts'
import { InvariantError } from '../kit/errors/invariant-error.ts'
import { isJsonObject } from '../kit/json/json.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import type { Clock } from '../kit/time/clock.ts'
import { HOUR_MS } from '../kit/time/time-units.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { readIdentityFault } from './read-fault.ts'
import { createUpstreamFetch } from './upstream-fetch.ts'

/** The timeout of one call to the provider, from connecting to the last byte. */
const CALL_TIMEOUT_S = 10
/** The provider's metadata are cached for this time. */
const METADATA_LIFE_MS = HOUR_MS

interface Discovered {
  readonly key: string
  readonly atMs: number
  readonly configuration: Promise<Configuration>
}

/** Opens a client for the configured provider. It connects only when a person signs in. */
export function openIdentityProvider(upstream: Upstream, clock: Clock): IdentityProvider {
  return new OidcProvider(upstream, clock)
}

class OidcProvider implements IdentityProvider {
  readonly #upstream: Upstream
  readonly #clock: Clock
  #discovered: Discovered | undefined

  constructor(upstream: Upstream, clock: Clock) {
    this.#upstream = upstream
    this.#clock = clock
  }

  async authorizationUrl(policy: OidcPolicy, parameters: AuthorizationParameters): Promise<URL> {
    const { state, nonce, codeVerifier, redirectUri, mustSignInAgain } = parameters
    try {
      return buildAuthorizationUrl(await this.#discover(policy), {
        redirect_uri: redirectUri,
        scope: policy.scopes.join(' '),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(mustSignInAgain && { prompt: 'login', max_age: '0' }),
      })
    } catch (error) {
      throw readIdentityFault(error)
    }
  }

  async readAnswer(policy: OidcPolicy, answer: AuthorizationAnswer): Promise<ProvenIdentity> {
    const { query, state, nonce, codeVerifier, redirectUri, signedInAfterMs } = answer
    try {
      const configuration = await this.#discover(policy)
      const tokens = await authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
        ...(signedInAfterMs !== undefined && { maxAge: this.#secondsSince(signedInAfterMs) }),
      })
      const idToken = tokens.claims()
      if (idToken === undefined) throw new InvariantError('an ID token was expected, and is not there')
      const claims = plainClaims(idToken)
      const all = isComplete(claims, policy)
        ? claims
        : { ...(await this.#askUserInfo(configuration, tokens.access_token, idToken.sub)), ...claims }
      return { issuer: idToken.iss, subject: idToken.sub, claims: all }
    } catch (error) {
      throw readIdentityFault(error)
    }
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }

  #secondsSince(atMs: number): number {
    return Math.max(0, Math.ceil((this.#clock.nowMs() - atMs) / 1_000))
  }

  /** Concurrent sign-ins share one discovery. The next sign-in retries a failed discovery. */
  async #discover(policy: OidcPolicy): Promise<Configuration> {
    const { issuer, clientId, clientSecret, allowPrivate, proxy } = policy
    const key = JSON.stringify([issuer, clientId, clientSecret, allowPrivate, proxy])
    const nowMs = this.#clock.monotonicMs()
    const known = this.#discovered
    if (known?.key === key && nowMs < known.atMs + METADATA_LIFE_MS) return known.configuration
    const discovered = { key, atMs: nowMs, configuration: this.#readMetadata(policy) }
    this.#discovered = discovered
    try {
      return await discovered.configuration
    } catch (error) {
      if (this.#discovered === discovered) this.#discovered = undefined
      throw error
    }
  }

  #readMetadata(policy: OidcPolicy): Promise<Configuration> {
    const url = new URL(policy.issuer)
    // The signature is verified as well. By default the library relies only on the connection to the token endpoint.
    const steps = [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])]
    return discovery(url, policy.clientId, policy.clientSecret, authenticateBy(policy.clientSecret), {
      [customFetch]: createUpstreamFetch(this.#upstream, policy),
      timeout: CALL_TIMEOUT_S,
      execute: steps,
    })
  }

  async #askUserInfo(configuration: Configuration, accessToken: string, subject: string): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
    return plainClaims(await fetchUserInfo(configuration, accessToken, subject))
  }
}

/**
 * Sends the secret in the header, which every server must support (RFC 6749 §2.3.1), unless the provider accepts it
 * only in the body.
 */
function authenticateBy(clientSecret: string): ClientAuth {
  const [inHeader, inBody] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
  return (server, client, body, headers) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const acceptsHeader =
      supported.includes('client_secret_basic') || !supported.includes('client_secret_post')
    return (acceptsHeader ? inHeader : inBody)(server, client, body, headers)
  }
}

/** Whether the ID token has every claim that decisions need. If not, UserInfo is asked for the missing claims. */
function isComplete(claims: Claims, { nameClaim, roleClaim, groupClaim }: OidcPolicy): boolean {
  const needed = ['email', 'email_verified', nameClaim, roleClaim, groupClaim].filter(
    (name) => name !== undefined,
  )
  return needed.every((name) => findClaim(claims, name) !== undefined)
}

function plainClaims(claims: object): Claims {
  const plain = parseJson(JSON.stringify(claims))
  return isJsonObject(plain) ? plain : {}
}
