import { labelOfProvider, type OidcPolicy } from '../../access/sign-on/sign-in-policy.ts'
import type { Config } from '../../config/config.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'

/** Writes the section `sign_in`, without the secret of the client. */
export function writeSignIn({ password, secondFactorRoles, oidc }: Config['signIn']): JsonValue {
  return {
    password: password ? 'on' : 'off',
    second_factor: [...secondFactorRoles],
    oidc: oidc === undefined ? null : writeOidc(oidc),
  }
}

function writeOidc(oidc: OidcPolicy): JsonObject {
  const { roles, groups } = oidc
  return {
    issuer: oidc.issuer,
    client_id: oidc.clientId,
    label: labelOfProvider(oidc),
    scopes: [...oidc.scopes],
    name_claim: oidc.nameClaim,
    role_claim: oidc.roleClaim ?? null,
    roles: roles === undefined ? null : Object.fromEntries(roles),
    default_role: oidc.defaultRole ?? null,
    group_claim: oidc.groupClaim ?? null,
    groups:
      groups === undefined
        ? null
        : Object.fromEntries([...groups].map(([value, membership]) => [value, { ...membership }])),
    domains: [...oidc.domains],
    trust_email: oidc.trustsEmail,
    second_factor: oidc.trustsSecondFactor ? 'provider' : null,
    session: writeDuration(oidc.sessionMs),
    refused_keys: oidc.refusedKeys,
    allow_private: oidc.allowPrivate,
    proxy: oidc.proxy === undefined ? null : new URL(oidc.proxy).origin,
  }
}
