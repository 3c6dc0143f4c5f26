import { hash, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../canonical/failure.ts'

/** Throws `admin_only` unless the `Authorization` header holds the token. Takes the same time wherever they differ. */
export type AdminTokenCheck = (authorization: string | readonly string[] | undefined) => void

export function createAdminTokenCheck(token: string): AdminTokenCheck {
  return createTokenCheck([token], {})
}

/** The check of metrics requests that need a token: the metrics' own, or the admin token. */
export function createMetricsTokenCheck(tokens: readonly string[]): AdminTokenCheck {
  return createTokenCheck(tokens, { message: METRICS_ADVICE })
}

const METRICS_ADVICE =
  'GET /metrics needs the metrics token as "Authorization: Bearer <token>". It is the value of HEADGATE_METRICS_TOKEN, else in the file metrics-token of the data folder. The admin token works as well.'

function createTokenCheck(
  tokens: readonly string[],
  refusal: { readonly message?: string },
): AdminTokenCheck {
  const expected = tokens.filter((token) => token !== '').map((token) => hash('sha256', token, 'buffer'))
  return (authorization) => {
    const offered = typeof authorization === 'string' ? authorization.replace(/^bearer\s+/i, '').trim() : ''
    // Tokens are compared as hashes, which have equal length. All are compared, even after a match.
    const digest = hash('sha256', offered, 'buffer')
    const matches = expected.filter((token) => timingSafeEqual(digest, token))
    if (matches.length === 0) throw new GatewayError('admin_only', refusal)
  }
}
