import { GatewayError } from '../../canonical/failure.ts'
import { filledText } from '../../kit/json/filled-text.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { parseJson } from '../../kit/json/parse-json.ts'
import type { Machine } from '../authorizer.ts'

/** A credential that Google's token service exchanges for a token, and where the credential was found. */
export type GoogleCredential =
  | {
      readonly type: 'service-account'
      readonly source: string
      readonly email: string
      /** The private key as PKCS 8, in PEM. */
      readonly privateKey: string
      readonly keyId: string | undefined
      readonly tokenUrl: string
    }
  | {
      readonly type: 'user'
      readonly source: string
      readonly clientId: string
      readonly clientSecret: string
      readonly refreshToken: string
      /** The project to which the user's calls are charged. */
      readonly quotaProject: string | undefined
      readonly tokenUrl: string
    }
  /** The machine's own account, from the metadata service of Google Cloud. */
  | { readonly type: 'metadata'; readonly source: string; readonly host: string }

const TOKEN_URL = 'https://oauth2.googleapis.com/token'
const METADATA_HOST = '169.254.169.254'

/**
 * Finds the credential of a channel: its own file, else the machine's credentials in the order of Google's own clients
 * (https://cloud.google.com/docs/authentication/application-default-credentials, seen 2026-11-20). That order is the
 * file that `GOOGLE_APPLICATION_CREDENTIALS` names, the file that `gcloud auth application-default login` writes, and
 * the metadata service. Rejects with `upstream_credential` where a named file is missing or unusable.
 */
export async function findGoogleCredential(
  ownFile: string | undefined,
  machine: Machine,
): Promise<GoogleCredential> {
  const named = ownFile ?? stated(machine.variables['GOOGLE_APPLICATION_CREDENTIALS'])
  if (named !== undefined) {
    const text = await readText(named, machine)
    if (text === undefined)
      throw refusal(`There is no file ${named}, which was to hold Google's credentials.`)
    return readCredential(text, named)
  }
  const file = gcloudFile(machine)
  const text = file === undefined ? undefined : await readText(file, machine)
  if (file !== undefined && text !== undefined) return readCredential(text, file)
  const host = stated(machine.variables['GCE_METADATA_HOST']) ?? METADATA_HOST
  return { type: 'metadata', source: `the metadata service at ${host}`, host }
}

function stated(value: string | undefined): string | undefined {
  const text = value?.trim() ?? ''
  return text === '' ? undefined : text
}

function gcloudFile({ variables }: Machine): string | undefined {
  const own = stated(variables['CLOUDSDK_CONFIG'])
  const home = stated(variables['HOME'])
  const folder = own ?? (home === undefined ? undefined : `${home}/.config/gcloud`)
  return folder === undefined ? undefined : `${folder}/application_default_credentials.json`
}

async function readText(path: string, machine: Machine): Promise<string | undefined> {
  try {
    return await machine.readText(path)
  } catch (cause) {
    throw refusal(`The file ${path}, which was to hold Google's credentials, cannot be read.`, cause)
  }
}

function readCredential(text: string, source: string): GoogleCredential {
  const fields = parseFields(text, source)
  const tokenUrl = filledText(fields['token_uri']) ?? TOKEN_URL
  if (!URL.canParse(tokenUrl)) throw refusal(`The "token_uri" of the credentials in ${source} is no address.`)
  switch (fields['type']) {
    case 'service_account':
      return {
        type: 'service-account',
        source,
        email: required(fields, 'client_email', source),
        privateKey: required(fields, 'private_key', source),
        keyId: filledText(fields['private_key_id']),
        tokenUrl,
      }
    case 'authorized_user':
      return {
        type: 'user',
        source,
        clientId: required(fields, 'client_id', source),
        clientSecret: required(fields, 'client_secret', source),
        refreshToken: required(fields, 'refresh_token', source),
        quotaProject: filledText(fields['quota_project_id']),
        tokenUrl,
      }
    default:
      throw refusal(
        `The credentials in ${source} are of the type ${JSON.stringify(fields['type'] ?? 'none')}; use a key of a service account, or log in with "gcloud auth application-default login".`,
      )
  }
}

function parseFields(text: string, source: string): JsonObject {
  try {
    const value = parseJson(text)
    if (isJsonObject(value)) return value
  } catch (cause) {
    throw refusal(`The file ${source}, which was to hold Google's credentials, is not JSON.`, cause)
  }
  throw refusal(`The file ${source} holds no credentials of Google.`)
}

function required(fields: JsonObject, name: string, source: string): string {
  const value = filledText(fields[name])
  if (value !== undefined) return value
  throw refusal(`The credentials in ${source} have no "${name}".`)
}

export function refusal(message: string, cause?: unknown): GatewayError {
  return new GatewayError('upstream_credential', { message }, cause === undefined ? {} : { cause })
}
