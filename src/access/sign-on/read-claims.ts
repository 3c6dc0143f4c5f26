import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'

/** The claims about a signed-in person, from a verified ID token and from UserInfo. */
export type Claims = JsonObject

/** An email address from the claims. */
export interface ClaimedEmail {
  readonly address: string
  /** Whether the provider says that the address is verified. Only the literal `true` does. */
  readonly isVerified: boolean
}

/**
 * Finds a claim. The whole name is tried first, such as `https://example.com/roles`, then a path through objects,
 * such as `realm_access.roles`.
 */
export function findClaim(claims: Claims, name: string): JsonValue | undefined {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: JsonValue | undefined = claims
  for (const part of name.split('.'))
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  return value
}

/** The texts of a claim that is one text or a list of texts. Undefined if there is no such claim. */
export function readTexts(claims: Claims, name: string): readonly string[] | undefined {
  const value = findClaim(claims, name)
  if (typeof value === 'string') return [value]
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}

export function readText(claims: Claims, name: string): string | undefined {
  const value = findClaim(claims, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function readEmail(claims: Claims): ClaimedEmail | undefined {
  const address = readText(claims, 'email')
  return address === undefined ? undefined : { address, isVerified: claims['email_verified'] === true }
}

/** The part after the "@", in lower case. Undefined if the text is not an email address. */
export function domainOf(address: string): string | undefined {
  const [, domain] = /^[^@\s]+@([^@\s]+)$/.exec(address) ?? []
  return domain?.toLowerCase()
}

/** The values of `amr` that mean more than a password by themselves (RFC 8176 §2). */
const SECOND_FACTORS: ReadonlySet<string> = new Set(['mfa', 'otp', 'hwk', 'sc'])

/** Whether the provider says that it asked for more than a password. */
export function showsSecondFactor(claims: Claims): boolean {
  return (readTexts(claims, 'amr') ?? []).some((method) => SECOND_FACTORS.has(method))
}
