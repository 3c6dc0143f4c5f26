// Starts the gateway with everything on, and prints its port.
import { openApp } from '../src/app/app.ts'
import { loadConfig, systemLoadInput } from '../src/config/load-config.ts'

const config = await loadConfig(systemLoadInput({ config: process.argv[2] }))
const printError = (line: string) => void process.stderr.write(`${line}\n`)
const app = await openApp({ config, version: 'bench', printError })
process.stdout.write(`${app.address.port}\n`)
process.once('SIGTERM', () => void app.close(1_000).then(() => process.exit(0)))
// SIGUSR2 collects garbage under --expose-gc, so that memory is measured and not what nobody has swept yet.
process.on('SIGUSR2', () => globalThis.gc?.())
