"""The configuration of a model while `auto_complete_config` completes it."""

import json

_SCHEDULERS = ("sequence_batching", "ensemble_scheduling")


class ModelConfig:
    """A configuration that the model may complete, but not contradict: then the methods raise ValueError."""

    def __init__(self, model_config):
        self._model_config = json.loads(model_config)

    def as_dict(self):
        """The configuration, to read."""
        return self._model_config

    def set_max_batch_size(self, max_batch_size):
        """Sets the largest batch, which must not be smaller than a configured one."""
        configured = self._model_config.get("max_batch_size", 0)
        if configured > max_batch_size:
            raise ValueError(
                "configuration specified max_batch_size %s, but in auto-complete-config function for model '%s' "
                "specified max_batch_size %s" % (configured, self._model_config["name"], max_batch_size)
            )
        self._model_config["max_batch_size"] = max_batch_size

    def set_dynamic_batching(self):
        """Has the server batch requests, unless it already does."""
        for scheduler in _SCHEDULERS:
            if scheduler in self._model_config:
                raise ValueError(
                    "Configuration specified scheduling_choice as '%s', but auto-complete-config function for model "
                    "'%s' tries to set scheduling_choice as 'dynamic_batching'"
                    % (scheduler, self._model_config["name"])
                )
        self._model_config.setdefault("dynamic_batching", {})

    def add_input(self, input):
        """Adds an input: `name`, `data_type` (TYPE_...), `dims`, and `optional` if it may be absent."""
        self._add("input", input, ("name", "data_type", "dims", "optional"))

    def add_output(self, output):
        """Adds an output: `name`, `data_type` (TYPE_...), `dims`."""
        self._add("output", output, ("name", "data_type", "dims"))

    def set_model_transaction_policy(self, transaction_policy_dict):
        """Sets `decoupled`, unless that is configured otherwise."""
        model = self._model_config["name"]
        for key in transaction_policy_dict:
            if key != "decoupled":
                raise ValueError(
                    "model transaction property in auto-complete-config function for model '%s' contains property "
                    "other than 'decoupled'." % model
                )
        policy = self._model_config.setdefault("model_transaction_policy", {})
        if "decoupled" in transaction_policy_dict:
            decoupled = transaction_policy_dict["decoupled"]
            if policy.get("decoupled", decoupled) != decoupled:
                raise ValueError(
                    "trying to change decoupled property in auto-complete-config for model '%s', which is already "
                    "set to '%s'." % (model, policy["decoupled"])
                )
            policy["decoupled"] = decoupled

    def _add(self, role, added, properties):
        self._check_properties(role, added, properties)
        tensors = self._model_config.setdefault(role, [])
        for configured in tensors:
            if configured["name"] == added["name"]:
                self._check_agreement(role, configured, added)
                configured.update(added)
                return
        tensors.append(added)

    def _check_properties(self, role, added, properties):
        where = "in auto-complete-config function for model '%s'" % self._model_config["name"]
        for key in added:
            if key not in properties:
                allowed = ", ".join("'%s'" % name for name in properties[:-1]) + " and '%s'" % properties[-1]
                raise ValueError(
                    "%s '%s' %s contains property other than %s." % (role, added.get("name", ""), where, allowed)
                )
        if "name" not in added:
            raise ValueError("%s %s is missing 'name' property." % (role, where))
        for key in ("data_type", "dims"):
            if key not in added:
                raise ValueError("%s '%s' %s is missing '%s' property." % (role, added["name"], where, key))

    def _check_agreement(self, role, configured, added):
        model, name = self._model_config["name"], added["name"]
        if configured["data_type"] not in ("TYPE_INVALID", added["data_type"]):
            raise ValueError(
                "unable to load model '%s', configuration expects datatype %s for %s '%s', model provides %s"
                % (model, configured["data_type"], role, name, added["data_type"])
            )
        for key in ("dims", "optional"):
            if key not in configured or key not in added or (key == "dims" and not configured[key]):
                continue
            if configured[key] != added[key]:
                raise ValueError(
                    "model '%s', tensor '%s': the model expects %s %s but the model configuration specifies %s %s"
                    % (model, name, key, added[key], key, configured[key])
                )
