export interface LitellmParts {
  /** The origin, such as `http://127.0.0.1:4321`. */
  readonly upstream: string
  readonly key: string
}

/** One key, since others need PostgreSQL; two weighted deployments, and one that is translated. Nothing is stored. */
export function writeLitellmConfiguration({ upstream, key }: LitellmParts): string {
  const deployment = (name: string, model: string, base: string, weight: number) => `  - model_name: ${name}
    litellm_params: { model: ${model}, api_base: ${base}, api_key: upstream-key-0123456789, weight: ${weight} }
`
  return `general_settings: { master_key: ${key} }
litellm_settings: { telemetry: false, num_retries: 0 }
model_list:
${deployment('bench', 'openai/bench-upstream', `${upstream}/v1`, 3)}${deployment('bench', 'openai/bench-upstream', `${upstream}/v1`, 1)}${deployment('bench-messages', 'anthropic/bench-upstream', upstream, 1)}`
}
