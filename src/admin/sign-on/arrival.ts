import type { ProvenIdentity } from '../../access/sign-on/identity-provider.ts'
import type { OidcPolicy } from '../../access/sign-on/sign-in-policy.ts'

/** A person whose identity the provider has proven, and the address of the request. */
export interface Arrival {
  readonly proven: ProvenIdentity
  readonly policy: OidcPolicy
  readonly address: string
}

/** The credential in the words of the audit log. */
export const SINGLE_SIGN_ON = 'single sign-on'

export function describeIdentity({ issuer, subject }: Pick<ProvenIdentity, 'issuer' | 'subject'>): string {
  return `${subject} at ${issuer}`
}
