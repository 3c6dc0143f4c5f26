import { importPKCS8, SignJWT } from 'jose'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import { type GoogleCredential, refusal } from './google-credential.ts'

export type ServiceAccount = Extract<GoogleCredential, { readonly type: 'service-account' }>

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const ASSERTION_SECONDS = 3_600

/**
 * Signs the assertion of a service account (https://developers.google.com/identity/protocols/oauth2/service-account,
 * seen 2026-11-20). Rejects with `upstream_credential` where the account's key cannot sign.
 */
export async function signGoogleAssertion(account: ServiceAccount, nowMs: number): Promise<string> {
  const { email, privateKey, keyId, tokenUrl, source } = account
  const nowSeconds = unixSeconds(nowMs)
  try {
    const key = await importPKCS8(privateKey, 'RS256')
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) })
      .setIssuer(email)
      .setAudience(tokenUrl)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ASSERTION_SECONDS)
      .sign(key)
  } catch (cause) {
    throw refusal(`The private key in ${source} cannot be used: it is no RSA key in PEM (PKCS 8).`, cause)
  }
}
