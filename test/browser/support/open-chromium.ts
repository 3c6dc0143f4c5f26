import { type Browser, chromium } from 'playwright-core'
import { unpackChromium } from './unpack-chromium.ts'

/** No name is looked up but that of this machine, so that nothing leaves it. */
const quietArguments = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--disable-domain-reliability',
  '--no-pings',
  '--disable-gpu',
  '--font-render-hinting=none',
]

/**
 * Starts Chromium: the one from npm on Linux for x64, else the Chrome of the machine. `HEADGATE_CHROMIUM` names another
 * one. It has no sandbox, as it runs as any user, root among them, and opens no page but the console's.
 */
export async function openChromium(): Promise<Browser> {
  const args = quietArguments
  const named = process.env['HEADGATE_CHROMIUM']
  if (named !== undefined) return chromium.launch({ executablePath: named, args })
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return chromium.launch({ channel: 'chrome', args })
  const { executable, fontFile } = unpackChromium()
  const env = { ...definedOf(process.env), FONTCONFIG_FILE: fontFile }
  return chromium.launch({ executablePath: executable, args, env })
}

function definedOf(values: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
