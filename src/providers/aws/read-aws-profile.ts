import type { Machine } from '../authorizer.ts'
import { type AwsCredentials, awsRefusal } from './aws-credentials.ts'

/**
 * Reads the keys of a profile in the files that AWS tools share
 * (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html, seen 2026-11-20). Undefined where no file has the
 * profile. Rejects with `upstream_credential` where a file has the profile but no usable keys.
 */
export async function readAwsProfile(
  profile: string,
  { variables, readText }: Machine,
): Promise<AwsCredentials | undefined> {
  const home = variables['HOME'] ?? variables['USERPROFILE'] ?? ''
  const credentialsFile = variables['AWS_SHARED_CREDENTIALS_FILE'] ?? `${home}/.aws/credentials`
  const configFile = variables['AWS_CONFIG_FILE'] ?? `${home}/.aws/config`
  const credentials = readSection(await readText(credentialsFile), profile)
  const config = readSection(await readText(configFile), profile)
  if (credentials === undefined && config === undefined) return undefined
  const fields = new Map([...(config ?? []), ...(credentials ?? [])])
  const accessKeyId = fields.get('aws_access_key_id') ?? ''
  const secretAccessKey = fields.get('aws_secret_access_key') ?? ''
  const sessionToken = fields.get('aws_session_token')
  if (accessKeyId !== '' && secretAccessKey !== '') return { accessKeyId, secretAccessKey, sessionToken }
  // A profile with only a region has no credentials.
  if (!others.some((name) => fields.has(name))) return undefined
  throw awsRefusal(
    `The profile "${profile}" in ${configFile} gets its keys from another program or a login, which this gateway does not start. Give the channel keys, or let the machine have a role.`,
  )
}

const others = ['role_arn', 'credential_process', 'sso_session', 'sso_start_url', 'web_identity_token_file']

/** Reads the settings of a section. In one of the files the word `profile` precedes the name. */
function readSection(text: string | undefined, profile: string): ReadonlyMap<string, string> | undefined {
  if (text === undefined) return undefined
  let section: Map<string, string> | undefined
  let isWanted = false
  for (const line of text.split(/\r\n|\n|\r/)) {
    const header = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line)
    if (header !== null) {
      isWanted = header[1] === profile
      if (isWanted) section ??= new Map()
      continue
    }
    const setting = /^([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line)
    if (isWanted && setting?.[1] !== undefined) section?.set(setting[1].toLowerCase(), setting[2] ?? '')
  }
  return section
}
