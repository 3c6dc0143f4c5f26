import { hash, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../canonical/failure.ts'

/** Throws `admin_only` unless the `Authorization` header holds the token. Takes the same time wherever they differ. */
export type AdminTokenCheck = (authorization: string | readonly string[] | undefined) => void

export function createAdminTokenCheck(token: string): AdminTokenCheck {
  const expected = hash('sha256', token, 'buffer')
  return (authorization) => {
    const offered = typeof authorization === 'string' ? authorization.replace(/^bearer\s+/i, '').trim() : ''
    // Compared as hashes, which have one length.
    const isEqual = timingSafeEqual(hash('sha256', offered, 'buffer'), expected)
    if (!isEqual || token === '') throw new GatewayError('admin_only')
  }
}
