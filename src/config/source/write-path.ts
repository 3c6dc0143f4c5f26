import type { ConfigPath } from './read-yaml.ts'

/** Writes a path as a person would: `channels[0].models["a b"]`. */
export function writePath(path: ConfigPath): string {
  return path.reduce<string>((text, step) => text + writeStep(step, text === ''), '')
}

function writeStep(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  if (!/^[A-Za-z_][\w-]*$/.test(step)) return `[${JSON.stringify(step)}]`
  return isFirst ? step : `.${step}`
}
