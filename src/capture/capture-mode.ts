import type { CaptureMode, CapturePolicy } from './capture-schema.ts'

export interface CapturedCaller {
  readonly keyName: string
  readonly group: string | undefined
}

/** The capture mode of a caller: that of its key, else of its group, else of the installation. */
export function captureModeOf(policy: CapturePolicy, { keyName, group }: CapturedCaller): CaptureMode {
  const ofGroup = group === undefined ? undefined : policy.groups.get(group)
  return policy.keys.get(keyName) ?? ofGroup ?? policy.bodies
}

/** Whether anything is captured for any caller. */
export function isCaptureOn({ bodies, keys, groups }: CapturePolicy): boolean {
  return [bodies, ...keys.values(), ...groups.values()].some((mode) => mode !== 'off')
}

export function hasPrompts(mode: CaptureMode): boolean {
  return mode === 'prompts' || mode === 'both'
}

export function hasAnswers(mode: CaptureMode): boolean {
  return mode === 'answers' || mode === 'both'
}
