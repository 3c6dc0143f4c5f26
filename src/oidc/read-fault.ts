import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { IdentityProviderError, type IdentityProviderFault } from '../access/sign-on/identity-provider.ts'
import { UpstreamCallError } from '../upstream/transport-fault.ts'

/**
 * Converts an error of the library, which has a different code and message for each step. Every other error is thrown
 * again.
 */
export function readIdentityFault(error: unknown): IdentityProviderError {
  if (error instanceof IdentityProviderError) return error
  const callFault = findCause(error, (each) => each instanceof UpstreamCallError)
  if (callFault !== undefined) return fault('identity_provider_unavailable', callFault.message, error)
  if (error instanceof AuthorizationResponseError)
    return fault('identity_provider_refused', `it answered "${wordOf(error.error)}"`, error)
  if (error instanceof ResponseBodyError) return readTokenError(error)
  if (error instanceof WWWAuthenticateChallengeError)
    return fault('oidc_client_refused', `it answered with status ${error.status}`, error)
  if (error instanceof ClientError) return readClientError(error)
  throw error
}

/** An error of the token endpoint (RFC 6749 §5.2). */
function readTokenError(error: ResponseBodyError): IdentityProviderError {
  const code = error.error === 'invalid_grant' ? 'authorization_code_refused' : 'oidc_client_refused'
  return fault(code, `it answered "${wordOf(error.error)}"`, error)
}

const codes: Readonly<Record<string, IdentityProviderFault>> = {
  OAUTH_TIMEOUT: 'identity_provider_unavailable',
  OAUTH_ABORT: 'identity_provider_unavailable',
  OAUTH_PARSE_ERROR: 'identity_provider_unavailable',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'identity_provider_unavailable',
  OAUTH_RESPONSE_IS_NOT_JSON: 'identity_provider_unavailable',
  OAUTH_HTTP_REQUEST_FORBIDDEN: 'identity_provider_unavailable',
  OAUTH_MISSING_SERVER_METADATA: 'identity_provider_unavailable',
  OAUTH_INVALID_SERVER_METADATA: 'identity_provider_unavailable',
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'identity_provider_unavailable',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'id_token_expired',
}

function readClientError(error: ClientError): IdentityProviderError {
  const inner = findCause(error.cause, (each) => each instanceof Error && 'code' in each) ?? error
  if (claimOf(inner) === 'auth_time' || inner.message.includes('auth_time'))
    return fault('not_signed_in_again', inner.message, error)
  return fault(codes[error.code ?? ''] ?? 'id_token_invalid', inner.message, error)
}

function fault(code: IdentityProviderFault, message: string, cause: unknown): IdentityProviderError {
  return new IdentityProviderError(code, message, cause)
}

/** The claim that failed a check, as the library records it. */
function claimOf({ cause }: Error): unknown {
  return typeof cause === 'object' && cause !== null && 'claim' in cause ? cause.claim : undefined
}

/** An OAuth error code in a form that is safe to show, as the provider or a browser wrote it. */
function wordOf(code: string): string {
  return code.replaceAll(/[^\w .-]/g, '').slice(0, 64)
}

function findCause(error: unknown, isWanted: (error: unknown) => boolean): Error | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (isWanted(each)) return each
  return undefined
}
