import { type Branded, brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import { digestOpaqueSecret, makeOpaqueSecret, type SecretDigest } from './opaque-secret.ts'
import type { Role } from './role.ts'
import type { Membership, UserId } from './user.ts'

export type LinkId = Branded<string, 'LinkId'>

export type LinkPurpose =
  /** Makes an owner. The person who accepts the link chooses the name. */
  | { readonly type: 'owner' }
  | {
      readonly type: 'invitation'
      readonly role: Role
      readonly groups: readonly Membership[]
      /** Undefined if the person who accepts the link chooses the name. */
      readonly name: string | undefined
    }
  /** Gives a user another password and ends all of the user's sessions. */
  | { readonly type: 'reset'; readonly userId: UserId; readonly name: string }

/** A link with a secret. Its holder may do one thing, once. An operator passes it on, as no mail is sent. */
export interface Link {
  readonly id: LinkId
  readonly digest: SecretDigest
  readonly purpose: LinkPurpose
  readonly createdAtMs: number
  readonly createdBy: string
  readonly expiresAtMs: number
}

const lifeMs = { owner: DAY_MS, reset: DAY_MS, invitation: 7 * DAY_MS } as const

export interface LinkOrder {
  readonly purpose: LinkPurpose
  readonly createdBy: string
}

export function makeLink(
  { purpose, createdBy }: LinkOrder,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): { readonly link: Link; readonly secret: string } {
  const secret = makeOpaqueSecret(random)
  const createdAtMs = clock.nowMs()
  const link = {
    id: brand<LinkId>(`lnk_${random.bytes(12).toString('hex')}`),
    digest: digestOpaqueSecret(secret),
    purpose,
    createdAtMs,
    createdBy,
    expiresAtMs: createdAtMs + lifeMs[purpose.type],
  }
  return { link, secret }
}

export function isOpenLink({ expiresAtMs }: Pick<Link, 'expiresAtMs'>, nowMs: number): boolean {
  return nowMs < expiresAtMs
}
