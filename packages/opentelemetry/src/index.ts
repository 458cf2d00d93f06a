// For applications.

export { type OpenTelemetryOptions, openTelemetry } from './open-telemetry.ts'
export { type OtlpOptions, otlp } from './otlp.ts'
