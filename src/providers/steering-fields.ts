/**
 * Top-level request fields with which a caller can make a gateway behind the channel use another model, provider,
 * address, credential or price than the key was granted. A plain server ignores them, but a gateway obeys.
 *
 * OpenRouter: `models`, `route`, `provider`, `preset`, `plugins`, `transforms`
 * (openrouter.ai/docs/api-reference/overview). LiteLLM: `fallbacks` and its kin, `user_config`, `model_list`,
 * `api_base`, `base_url`, `api_key`, `api_version`,
 * `custom_llm_provider`, `extra_body`, `extra_headers`, `router_settings_override`
 * (docs.litellm.ai/docs/proxy/clientside_auth, …/proxy/client_side_fallbacks). Vercel AI Gateway:
 * `providerOptions` (vercel.com/docs/ai-gateway/models-and-providers/provider-options). Letter case is folded. All seen
 * 2026-11-20.
 */
export const gatewaySteeringFields = [
  'models',
  'route',
  'provider',
  'providers',
  'preset',
  'plugins',
  'transforms',
  'fallbacks',
  'context_window_fallbacks',
  'content_policy_fallbacks',
  'user_config',
  'model_list',
  'router_settings_override',
  'custom_llm_provider',
  'api_base',
  'base_url',
  'api_key',
  'api_version',
  'extra_body',
  'extra_headers',
  'provideroptions',
] as const

/**
 * Fields of the Gemini format within `generationConfig` with which Vertex AI chooses a model itself, or uses the model
 * that the field names (types of @google/genai 3.1.0, seen 2026-11-20). A token count request may contain a whole
 * request.
 */
export const geminiSteeringFields = [
  'generationconfig.routingconfig',
  'generationconfig.modelselectionconfig',
  'generatecontentrequest.generationconfig.routingconfig',
  'generatecontentrequest.generationconfig.modelselectionconfig',
] as const
